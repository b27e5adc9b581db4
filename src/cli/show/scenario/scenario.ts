/** A scenario on a page: what is asked, what happens and when, what becomes of the checks and the reference, and its proof. */
import type { Certificate } from '../../../artifacts/certificate.js';
import type { Scenario } from '../../../artifacts/scenario.js';
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Task } from '../../../artifacts/task.js';
import type { Ui } from '../../ui.js';
import { briefSection } from '../forms.js';
import { entries, type Section, wrapped } from '../layout.js';
import { gateSection } from '../proof.js';
import { forWhom } from '../task.js';
import { cleanLine } from '../trace/clean.js';
import { type Change, referenceChanges, revisions, untouched } from './changes.js';
import { eventEntries } from './events.js';

export interface ShownScenario {
  scenario: Scenario;
  task: Task;
  certificate: Certificate | undefined;
  services: readonly ServiceSpec[];
  /** Virtual time at which its sessions begin. */
  clock?: number;
}

/** Colours what comes and what goes. */
export interface Marks {
  verdict(pass: boolean): string;
  sign(sign: Change['sign'], line: string): string;
}

const changeLines = (changes: readonly Change[], marks: Marks, indent = 2): string[] =>
  changes.flatMap(({ sign, text }) =>
    wrapped(`${sign} ${cleanLine(text)}`, indent, 4).map((line) => marks.sign(sign, line)),
  );

const eventSections = ({ scenario, services, clock }: ShownScenario): Section[] =>
  scenario.events.map((event, n) => ({
    title: `Event ${n + 1} of ${scenario.events.length}: ${event.id}`,
    lines: entries(eventEntries(services, event, clock).map(([name, text]) => [name, cleanLine(text)] as const)),
  }));

const checksSection = ({ scenario, task, services }: ShownScenario, marks: Marks): Section => {
  const kept = untouched(task, scenario);
  return {
    title: 'What becomes of the checks, of each event once it has fired',
    lines: [
      ...revisions(task, scenario, services).flatMap(({ event, changes }) => [
        `  ${event}${changes.length === 0 ? ': nothing' : ''}`,
        ...changeLines(changes, marks, 4),
      ]),
      `  ${kept} other check${kept === 1 ? ' stays as it is' : 's stay as they are'}; the frame allows what the events themselves write`,
    ],
  };
};

const scenarioSections = (shown: ShownScenario, marks: Marks): Section[] => [
  briefSection(shown.task),
  ...eventSections(shown),
  checksSection(shown, marks),
  {
    title: `Reference: ${shown.task.reference.calls.length} calls before, ${shown.scenario.reference.calls.length} with what fires while it is carried out`,
    lines: changeLines(referenceChanges(shown.task, shown.scenario), marks),
  },
  { ...gateSection(shown.certificate, marks.verdict), title: 'The rules it was accepted by' },
];

export const sayScenario = (ui: Ui, shown: ShownScenario): void => {
  const { scenario, task } = shown;
  ui.say(`${ui.style('bold', scenario.id)}  scenario of ${task.id}, world ${scenario.worldId}`);
  ui.say(forWhom(task));
  if (scenario.offersWait) ui.say('  offers wait, by which virtual time passes');
  const marks: Marks = {
    verdict: (pass) => (pass ? ui.style('green', 'ok') : ui.style('red', 'FAILED')),
    sign: (sign, line) => (sign === ' ' ? line : ui.style(sign === '+' ? 'green' : 'red', line)),
  };
  for (const { title, lines } of scenarioSections(shown, marks)) {
    ui.say('');
    ui.say(ui.style('bold', title));
    for (const line of lines) ui.say(line);
  }
};

/** All of it as data: the scenario whole, and what is said of it in words. */
export const scenarioData = ({ scenario, task, certificate, services, clock }: ShownScenario): object => ({
  scenario,
  brief: task.brief,
  events: scenario.events.map((event) => ({
    id: event.id,
    words: eventEntries(services, event, clock).map(([name, text]) => `${name} ${text}`.trim()),
  })),
  checks: revisions(task, scenario, services),
  untouched: untouched(task, scenario),
  reference: referenceChanges(task, scenario),
  certificate,
});
