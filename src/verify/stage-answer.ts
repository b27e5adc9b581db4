/** What was said to one of several questions: at the end of its stage, or in a numbered line of the final message. */
import type { Task } from '../artifacts/task.js';
import type { Evidence } from './evidence.js';

const LINE = /^[\s>*_#-]*(?:answer|question|no\.?)?\s*[#(]?\s*(\d{1,3})[\s*_]*[).:\]-][\s*_]*(.*)$/i;

/** `1. 12 May 2024\n2. Ada Berg`: the text behind each number, with the lines that follow it up to the next. */
export const numberedAnswers = (text: string): Map<number, string> => {
  const out = new Map<number, string>();
  let at: number | undefined;
  for (const line of text.split('\n')) {
    const [, number, rest = ''] = LINE.exec(line) ?? [];
    // Lists inside an answer start over; only the next number opens the next answer.
    if (number !== undefined && Number(number) === (at ?? 0) + 1) {
      at = Number(number);
      out.set(at, rest.trim());
    } else if (at !== undefined && line.trim() !== '') out.set(at, `${out.get(at)}\n${line.trim()}`.trim());
  }
  return out;
};

/** Nodes that ask something, in order. */
export const askingNodes = ({ milestones }: Pick<Task, 'milestones'>): string[] =>
  milestones.filter(({ answer }) => answer !== undefined).map(({ node }) => node);

/** The reply to the question of `node`. A task with one question needs no number. */
export const stageAnswer = (task: Pick<Task, 'milestones'>, node: string, evidence: Evidence): string => {
  const kept = evidence.answers?.[node];
  if (kept !== undefined) return kept;
  if (evidence.answers !== undefined) return evidence.answer;
  const asking = askingNodes(task);
  if (asking.length <= 1) return evidence.answer;
  return numberedAnswers(evidence.answer).get(asking.indexOf(node) + 1) ?? '';
};
