/** A task on a page: what is asked in every form, its graph, how it is done, judged and proven. One function a section. */
import { stringify } from 'yaml';
import type { Certificate } from '../../artifacts/certificate.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Task } from '../../artifacts/task.js';
import type { TaskDifficulty } from '../../corpus/difficulty.js';
import { difficultyWords } from '../pipeline/difficulty.js';
import { checkWords } from '../review/check-words.js';
import type { Ui } from '../ui.js';
import { briefSection, formsOf, stagesSection } from './forms.js';
import { bindingSection, graphSection, referenceSection } from './graph.js';
import type { Section } from './layout.js';
import { checkSection, gateSection } from './proof.js';

export interface ShownTask {
  task: Task;
  certificate: Certificate | undefined;
  services: readonly ServiceSpec[];
  difficulty?: TaskDifficulty;
}

const difficultySection = (difficulty: TaskDifficulty): Section => ({
  title: 'Difficulty',
  lines: stringify(difficultyWords(difficulty))
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`),
});

/** Whom it is for, and with which tools. */
export const forWhom = ({ actor, services }: Task): string =>
  `  for ${actor.name}, ${actor.title} (${actor.email}); tools of ${services.join(', ')}`;

/** `mark` colours what passed and what failed. */
export const taskSections = (
  { task, certificate, services, difficulty }: ShownTask,
  mark: (pass: boolean) => string,
): Section[] => [
  briefSection(task),
  stagesSection(task),
  graphSection(task),
  bindingSection(task),
  referenceSection(task, services),
  checkSection(task, services),
  gateSection(certificate, mark),
  ...(difficulty ? [difficultySection(difficulty)] : []),
];

export const sayTask = (ui: Ui, shown: ShownTask): void => {
  const { task } = shown;
  ui.say(`${ui.style('bold', task.id)}  ${task.kind}, world ${task.worldId}`);
  ui.say(forWhom(task));
  const sections = taskSections(shown, (pass) => (pass ? ui.style('green', 'ok') : ui.style('red', 'FAILED')));
  for (const { title, lines } of sections) {
    ui.say('');
    ui.say(ui.style('bold', title));
    for (const line of lines) ui.say(line);
  }
};

/** All of it as data: the task whole, every form as rollouts give it, the checks in words. */
export const taskData = ({ task, certificate, services, difficulty }: ShownTask): object => ({
  task,
  forms: formsOf(task),
  checks: task.milestones.map(({ id, node, checks }) => ({
    milestone: id,
    node,
    words: checks.map((check) => checkWords(check, services)),
  })),
  certificate,
  ...(difficulty ? { difficulty } : {}),
});
