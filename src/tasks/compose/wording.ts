/** A composed task's brief: why, then what, step by step, as somebody would write it down for a colleague. */
import type { Rng } from '../../kit/rng.js';
import { capital, closed } from '../words/grammar.js';
import { wording } from '../words/lexicon.js';
import type { Case } from './grow.js';
import type { Stage } from './stage.js';

const spaced = (...parts: string[]): string => parts.filter((part) => part !== '').join(' ');

/** `Question 2: What is ...?` so that the answer can be told from the others. */
const itemOf = ({ plain, answer }: Stage, question: number, questions: number): string => {
  if ('asks' in plain)
    return answer && questions > 1 ? `Question ${question}: ${closed(plain.asks, '?')}` : closed(plain.asks, '?');
  return spaced(closed(capital(plain.does)), plain.tail);
};

/** The objective in a sentence: the reason of the first process, or what the work is about. */
export const objectiveOf = (cases: readonly Case[]): { id: string; title: string; reason: string } | undefined => {
  const errand = cases.find((one) => one.errand !== undefined)?.errand;
  return errand && { id: errand.id, title: errand.title, reason: errand.purpose };
};

export const briefOf = (stages: readonly Stage[], cases: readonly Case[], random: Rng): string => {
  const { composed } = wording();
  const questions = stages.filter(({ answer }) => answer !== undefined).length;
  const kinds = new Set(cases.map(({ errand }) => errand?.id));
  const lines: string[] = [];
  const first = objectiveOf(cases);
  lines.push(spaced(kinds.size === 1 && first ? first.reason : '', random.pick(composed.opening)));
  const asides = random.shuffle(composed.aside);
  let aside = 0;
  let item = 0;
  let question = 0;
  const byNode = new Map(stages.map((stage) => [stage.node, stage]));
  for (const [i, { errand, nodes }] of cases.entries()) {
    if (cases.length > 1) {
      const again = errand && cases.slice(0, i).some((one) => one.errand?.id === errand.id);
      const heading = errand
        ? kinds.size === 1 || again
          ? `${errand.title}, ${i === 0 ? 'first case' : 'next case'}:`
          : `${errand.title}. ${errand.purpose}`
        : (asides[aside++ % asides.length] as string);
      // Nothing stands beside what has not begun.
      lines.push('', ...(i === 0 && !errand ? [] : [heading]));
    }
    for (const node of nodes) {
      const stage = byNode.get(node) as Stage;
      if (stage.answer) question++;
      lines.push(`${++item}. ${itemOf(stage, question, questions)}`);
    }
  }
  if (questions > 0) lines.push('', random.pick(questions > 1 ? composed.answers : composed.answer));
  return lines.join('\n');
};
