/** Head and foot of a shown rollout: who acted on what, what became of it and why, and what else it shows. */
import type { Trace } from '../../../artifacts/trace.js';
import type { Verdict } from '../../../artifacts/verdict.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { behaviourOf } from '../../../verify/behaviour/registry.js';
import { clean, cleanLine, cleanShort } from './clean.js';
import { revisedLines } from './events.js';
import { broken } from './page.js';
import type { Line, ShownTrace } from './shown.js';
import { checkLines } from './stages.js';

/** `passed`, `failed`, `cut`, `fault (infrastructure)`; `not judged` without a verdict. */
export const outcomeWords = (
  trace: Pick<Trace, 'finish' | 'problem'>,
  verdict: Pick<Verdict, 'pass' | 'fault'> | undefined,
): string => {
  if (!verdict) return 'not judged';
  const { outcome, fault } = outcomeOf(trace, verdict);
  return fault === undefined ? outcome : `${outcome} (${cleanShort(fault, 30)})`;
};

const STYLE: Readonly<Record<string, NonNullable<Line['style']>>> = { passed: 'green', failed: 'red' };
export const outcomeStyle = (words: string): NonNullable<Line['style']> => STYLE[words] ?? 'yellow';

/** Who acted, in words: `scripted wrong_entity`, `model qwen3`, `harness openclaw 2026.1 with m1`. */
export const producerWords = ({ producer }: Pick<Trace, 'producer'>): string => {
  const { policy, name, model, version } = producer;
  const with_ = model === undefined ? '' : ` with ${model}`;
  const own = name === '' || name === policy ? '' : ` ${name}`;
  return cleanShort(`${policy}${own}${version === undefined ? '' : ` ${version}`}${with_}`, 120);
};

export const viewWords = ({
  user,
  detail,
  faults,
  scenario,
}: Pick<Trace, 'user' | 'detail' | 'faults' | 'scenario'>): string =>
  [
    user === 'none' ? 'all at once' : 'simulated user',
    detail,
    ...(faults ? [`under ${cleanShort(faults.rules.join(' '), 120)}`] : []),
    ...(scenario ? [`in ${cleanShort(scenario.id, 120)}`] : []),
  ].join(', ');

const scenarioWords = ({ trace: { scenario }, scenario: known }: ShownTrace): string | undefined =>
  scenario && `${scenario.id}: ${scenario.sources.join(', ')}${known ? '' : ' (not in the corpus as it was then)'}`;

const originWords = ({ origin }: Trace): string | undefined => {
  switch (origin?.kind) {
    case undefined:
      return undefined;
    case 'prefix': {
      const again = origin.stages.filter(({ attempts }) => attempts > 1);
      const which = again.map(({ node, attempts }) => `${node} ${attempts}`).join(', ');
      return `prefix-preserving, up to ${origin.retries} retries a stage${which ? `; attempts: ${which}` : '; none needed'}`;
    }
    case 'negative':
      return `a dropped attempt, number ${origin.attempt} at ${origin.node}, of rollout ${cleanShort(origin.rollout, 64)}`;
    case 'branch':
      return `branch ${origin.index + 1} of group ${cleanShort(origin.group, 64)}, from message ${origin.from + 1} on`;
  }
};

const usageWords = ({ usage, finish }: Trace): string => {
  const { turns, calls, promptTokens, completionTokens, cost } = usage;
  const count = (n: number, what: string): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
  return [
    finish.replaceAll('_', ' '),
    count(turns, 'turn'),
    count(calls, 'call'),
    ...(promptTokens === undefined ? [] : [count(promptTokens, 'prompt token')]),
    ...(completionTokens === undefined ? [] : [count(completionTokens, 'completion token')]),
    ...(cost === undefined ? [] : [`${cost.toFixed(4)} US dollars`]),
  ].join(', ');
};

const gatewayWords = ({ gateway }: Trace): string | undefined =>
  gateway &&
  `${gateway.dialect}, ${gateway.exchanges} exchanges, ${gateway.retried} made again${gateway.rewritten ? '; the harness rewrote its history' : ''}`;

export const headLines = (shown: ShownTrace): Line[] => {
  const { trace } = shown;
  const facts: [string, string | undefined][] = [
    ['task', `${cleanShort(trace.taskId)}${shown.task ? '' : ' (not in the corpus as it was then)'}`],
    ['scenario', scenarioWords(shown)],
    ['acted', producerWords(trace)],
    ['told', viewWords(trace)],
    ['origin', originWords(trace)],
    ['used', usageWords(trace)],
    ['gateway', gatewayWords(trace)],
    ['problem', trace.problem && `${trace.problem.code} (fault: ${trace.problem.fault}): ${trace.problem.message}`],
  ];
  const words = outcomeWords(trace, shown.verdict);
  return [
    { text: `trace ${cleanShort(trace.id, 64)}  ${words}`, style: outcomeStyle(words) },
    ...facts.flatMap(([name, text]): Line[] =>
      text === undefined
        ? []
        : broken(cleanLine(text), 12).map((line, i) => ({
            text: i === 0 ? `  ${name.padEnd(10)}${line.trimStart()}` : line,
          })),
    ),
  ];
};

const verdictLines = (shown: ShownTrace): Line[] => {
  const { verdict, reward } = shown;
  if (!verdict) return [];
  const all = verdict.milestones;
  const isLong = all.length > 1;
  return [
    { text: '' },
    {
      text: `verdict: ${verdict.pass ? 'passed' : 'failed'}${isLong ? `, ${all.filter(({ pass }) => pass).length} of ${all.length} milestones met` : ''}${verdict.fault === 'verifier' ? ' (a check broke: the fault is the verifier’s)' : ''}`,
      style: verdict.pass ? 'green' : 'red',
    },
    ...revisedLines(shown),
    ...all.flatMap(({ id, pass, checks }): Line[] => {
      const told = shown.full || !isLong ? checks : checks.filter((check) => !check.pass);
      const title: Line[] =
        isLong && (!pass || shown.full)
          ? [
              {
                text: `  ${pass ? 'ok' : 'FAILED'} ${id}${checks.length === 0 ? ' (stands or falls with a later stage that changes the same)' : ''}`,
              },
            ]
          : [];
      return [...title, ...checkLines(shown, id, told)];
    }),
    ...verdict.broken.map((rule): Line => ({ text: `    broken rule: ${rule}`, style: 'red' })),
    ...(reward && reward.total !== null ? [{ text: `reward ${reward.total.toFixed(3)} (${reward.shape})` }] : []),
  ];
};

/** The answer, the verdict with its evidence, behaviour, and whether the calls gave the same again. */
export const footLines = (shown: ShownTrace): Line[] => {
  const { trace, retraced, notRetraced } = shown;
  const behaviour = Object.entries(behaviourOf(trace)).flatMap(([flag, sightings]) =>
    sightings
      .slice(0, 5)
      .map(({ turn, evidence }) => `${flag.replaceAll('_', ' ')}, turn ${turn + 1}: ${cleanShort(evidence)}`),
  );
  const again =
    retraced?.differsAt === undefined
      ? notRetraced && `changes without values: ${notRetraced}`
      : `run again, call ${retraced.differsAt + 1} gave another result; from there on changes are the ledger's, without values`;
  return [
    { text: '' },
    ...broken(`answer: ${trace.answer === '' ? '(none)' : clean(trace.answer).trim()}`, 0).map(
      (text): Line => ({ text }),
    ),
    ...verdictLines(shown),
    ...(behaviour.length > 0 ? [{ text: '' }, { text: 'behaviour' }] : []),
    ...behaviour.map((text): Line => ({ text: `  ${text}`, style: 'yellow' })),
    ...(again ? [{ text: '' }, { text: cleanLine(again), style: 'yellow' } as const] : []),
  ];
};
