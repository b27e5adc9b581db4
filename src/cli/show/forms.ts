/** The brief in every form: both views, each in three details, and what the user can say beyond it. */
import { DETAILS, type Detail, type Fact, type Stage } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import { requestText } from '../../rollout/prompt.js';
import { wholePersona } from '../../tasks/disclosure/persona.js';
import { entries, type Section, wrapped } from './layout.js';

const FULL_FIRST = [...DETAILS].reverse();

/** Every text of the task by view and detail, as rollouts give it. */
export const formsOf = (task: Task) => {
  const by = <T>(text: (detail: Detail) => T): Record<Detail, T> => ({
    full: text('full'),
    partial: text('partial'),
    vague: text('vague'),
  });
  return {
    none: by((detail) => requestText(task, detail)),
    simulated: by((detail) => task.disclosure.stages.map((stage) => ({ node: stage.node, request: stage[detail] }))),
  };
};

/** Details with one text are one entry. */
const merged = (text: (detail: Detail) => string): [string, string][] => {
  const out: [string, string][] = [];
  for (const detail of FULL_FIRST) {
    const last = out.at(-1);
    if (last && last[1] === text(detail)) last[0] += `, ${detail}`;
    else out.push([detail, text(detail)]);
  }
  return out;
};

export const briefSection = (task: Task): Section => ({
  title: 'Brief, all at once (--user none)',
  lines: entries(merged((detail) => requestText(task, detail))),
});

const when = ({ given, after }: Fact): string =>
  [
    given === 'full' ? 'when asked, unless full' : given === 'partial' ? 'when asked in vague' : 'at once',
    ...(after ? [`not before ${after} has ended`] : []),
  ].join(', ');

const factLine = (fact: Fact | string): string =>
  typeof fact === 'string'
    ? `knows: ${fact}`
    : `knows: ${fact.says} (${when(fact)}; asked for by “${fact.asked[0]}”${fact.loose ? `; in looser words ${fact.loose}` : ''})`;

const stageLines = (stage: Stage, isOnly: boolean): string[] => {
  const unknown = (stage.unknown ?? []).map(
    ({ asked, from }) => `does not know: ${asked[0]}${from ? ` (found in ${from})` : ''}`,
  );
  const indent = isOnly ? 2 : 4;
  return [
    ...(isOnly ? [] : [`  ${stage.node}`]),
    ...entries(
      merged((detail) => stage[detail]),
      indent,
    ),
    ...stage.facts.flatMap((fact) => wrapped(factLine(fact), indent, 2)),
    ...unknown.flatMap((line) => wrapped(line, indent, 2)),
  ];
};

export const stagesSection = (task: Task): Section => {
  const { stages } = task.disclosure;
  const { manner, role, tone, verbosity, register, patience } = wholePersona(task.disclosure, task.actor.title);
  const persona = `${role || 'an employee'}: ${manner} (${tone}, ${verbosity}, ${register}; bears ${patience} useless questions)`;
  return {
    title: 'Stage by stage (--user simulated)',
    lines: [
      ...wrapped(`asked by ${persona}`, 2, 2),
      ...stages.flatMap((stage) => stageLines(stage, stages.length === 1)),
    ],
  };
};
