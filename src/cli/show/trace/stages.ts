/** Stages of a conversation with a simulated user, each with what its milestone said at its end. */
import type { CheckResult, Verdict } from '../../../artifacts/verdict.js';
import { checkWords } from '../../review/check-words.js';
import { cleanLine, cleanShort } from './clean.js';
import { broken } from './page.js';
import type { Line, ShownTrace } from './shown.js';

const nodeOf = ({ trace }: ShownTrace, index: number): string => trace.dialogue?.stages[index]?.node ?? '';

export const stageTitle = (shown: ShownTrace, index: number): Line => {
  const node = nodeOf(shown, index);
  const { family } = shown.task?.nodes.find(({ id }) => id === node) ?? {};
  const of = shown.task ? ` of ${shown.task.disclosure.stages.length}` : '';
  return { text: `══ stage ${index + 1}${of}: ${node}${family ? ` (${family})` : ''}`, style: 'magenta' };
};

/** What a check asked, where the task is known, and what it found. */
export const checkLines = (
  { task, services }: ShownTrace,
  milestone: string,
  results: readonly CheckResult[],
): Line[] =>
  results.flatMap(({ check, kind, pass, evidence, broken: isBroken }): Line[] => {
    const asked = task?.milestones.find(({ id }) => id === milestone)?.checks.find(({ id }) => id === check);
    const words = asked ? cleanLine(checkWords(asked, services)) : cleanShort(kind);
    if (pass) return broken(`ok ${check}: ${words}`, 4).map((text) => ({ text, style: 'dim' }));
    const sign = isBroken ? 'BROKEN' : 'FAILED';
    return [
      ...broken(`${sign} ${check}: ${cleanLine(evidence)}`, 4).map((text): Line => ({ text, style: 'red' })),
      ...broken(`asked: ${words}`, 6).map((text): Line => ({ text, style: 'dim' })),
    ];
  });

/** The milestone of the stage that ended: the last one its verdict judged. */
const ownMilestone = (
  { task }: ShownTrace,
  verdict: Verdict,
  node: string,
): Verdict['milestones'][number] | undefined => {
  const id = task?.milestones.find((milestone) => milestone.node === node)?.id;
  return verdict.milestones.find((milestone) => milestone.id === id) ?? verdict.milestones.at(-1);
};

/** The end of a stage: passed, or what failed. */
export const endedLines = (shown: ShownTrace, index: number): Line[] => {
  const node = nodeOf(shown, index);
  const ended = shown.trace.dialogue?.stages.slice(0, index).filter((mark) => mark.ended !== undefined).length ?? 0;
  const verdict = shown.stages?.[ended];
  if (!verdict) return [{ text: `══ ${node} ended, not judged`, style: 'magenta' }];
  const own = ownMilestone(shown, verdict, node);
  const earlier = verdict.milestones.filter(({ id, pass }) => !pass && id !== own?.id).map(({ id }) => id);
  return [
    { text: `══ ${node} ended: ${own?.pass ? 'passed' : 'FAILED'}`, style: own?.pass ? 'green' : 'red' },
    ...(own
      ? checkLines(
          shown,
          own.id,
          own.checks.filter(({ pass }) => !pass),
        )
      : []),
    ...(earlier.length > 0
      ? [{ text: `    of earlier stages no longer met: ${earlier.join(', ')}`, style: 'red' } as const]
      : []),
  ];
};
