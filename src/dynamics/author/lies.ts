/** Fault events: a read answers wrongly, once (P3) or from then on (P4), and whoever believes it fails (dynamics.md, "fault"). */
import type { Rng } from '../../kit/rng.js';
import { aboutOf, lieOf } from '../../serve/faults/plan.js';
import { faultRule } from '../../serve/faults/rule.js';
import type { Candidate } from './accept.js';
import { eventOf } from './blank.js';
import { contradicts, struckAt } from './contradiction.js';

import { type Look, lookingBy, looksOf, misleads } from './looks.js';
import { isKeyAt } from './shown-row.js';
import type { Stage } from './trial.js';
import type { Way } from './ways.js';
import { type Moment, momentBefore } from './when.js';

/** Lies that are drawn until one strikes what matters. */
const DRAWS = 24;

interface Lie {
  fault: { seed: string; about?: string };
  /** Those of the look's other ways that contradict it. */
  ways: Way[];
}

/** A draw whose lie misleads: rather a wrong value where one is used than a row that is not there, of which there would be many. */
const lieAbout = (stage: Stage, look: Look, profile: 'P3' | 'P4', random: Rng): Lie | undefined => {
  const { tool, result, uses } = look;
  const rule = faultRule(`${tool.name}=${profile}`);
  const which = aboutOf(rule, 0, look.call.args);
  const values = random.shuffle(uses).filter(({ row, path }) => row !== undefined && !isKeyAt(tool, result, path));
  const draws = [...values.map(({ path }) => path), ...Array.from({ length: DRAWS }, () => undefined)];
  for (const about of draws) {
    const fault = { seed: `${random.int(0, 9_999)}`, ...(about === undefined ? {} : { about }) };
    const lie = lieOf({ ...rule, ...fault }, fault.seed, tool.name, which, result);
    const path = lie === undefined ? undefined : struckAt(result, lie);
    if (lie === undefined || path === undefined || isKeyAt(tool, result, path)) continue;
    if ((about !== undefined && path !== about) || !misleads(stage, look, lie)) continue;
    const ways = look.ways.filter((way) => contradicts({ tool, truth: result, lie }, way));
    if (profile === 'P3' || ways.length > 0) return { fault, ways };
  }
  return undefined;
};

/** Before the look and after the last call of its tool before it: the next call of the tool is the one that is struck. */
export const momentFor = ({ task }: Stage, { n, tool }: Look, random: Rng): Moment | undefined => {
  const { calls } = task.reference;
  const earlier = calls.slice(0, n).findLastIndex((call) => call.tool === tool.name);
  return momentBefore(task, n, random, Math.max(0, earlier));
};

const candidate = (stage: Stage, look: Look, profile: 'P3' | 'P4', random: Rng): Candidate[] => {
  const { n, tool, call } = look;
  const moment = momentFor(stage, look, random.stream('moment'));
  const lie = moment && lieAbout(stage, look, profile, random.stream('draw'));
  if (!moment || !lie) return [];
  const others = lie.ways.map((way) => way.tool.name);
  const [way] = lie.ways;
  const isOnce = profile === 'P3';
  const event = eventOf({
    id: `${isOnce ? 'slip' : 'lie'}_${n}`,
    source: 'fault',
    when: moment.when,
    effect: { fault: { profile, tool: tool.name, ...lie.fault } },
    notify: { to: 'none', discoverBy: isOnce ? [tool.name, ...others] : others },
    // It is looked at again, or elsewhere, before anything is done with it.
    reference: isOnce || !way ? { insert: [call], from: n, drop: 0 } : lookingBy(look, way),
  });
  return [{ event, answer: stage.task.reference.answer }];
};

/** Looks of one task that are lied about at most, of each kind; and of those, where nothing but rows can be left out. */
const MOST = 6;
const MOST_SHORT = 2;

const isShort = ({ event: { effect } }: Candidate): boolean => !('fault' in effect) || effect.fault.about === undefined;

/** One of each kind for looks that a lie about can mislead; a lasting one only where another tool contradicts it. */
export const lies = (stage: Stage, random: Rng): Candidate[] => {
  const { calls } = stage.task.reference;
  const some = (looks: readonly Look[], profile: 'P3' | 'P4'): Candidate[] => {
    const own = random.stream(profile);
    const all = own.shuffle(looks).flatMap((look) => candidate(stage, look, profile, own.stream(String(look.n))));
    const short = all.filter(isShort).slice(0, MOST_SHORT);
    return all.filter((one) => short.includes(one) || !isShort(one)).slice(0, MOST);
  };
  const looks = looksOf(stage).filter((look) => momentFor(stage, look, random) !== undefined);
  const lasting = looks.filter(
    ({ n, tool, ways }) => ways.length > 0 && !calls.some((call, at) => at > n && call.tool === tool.name),
  );
  return [...some(looks, 'P3'), ...some(lasting, 'P4')];
};
