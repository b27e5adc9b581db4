/** Requirement events: the house number of an address was wrong, which several writes may have been given. */

import { valueAt } from '../../../kit/json-path.js';
import type { Rng } from '../../../kit/rng.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { argumentsOfTool } from './slots.js';

/** `101 Highway`: a number and a street. */
const STREET = /^(\d{1,5})(\s+\p{L}.{2,})$/u;

const SAYINGS = [
  (now: string, old: string) =>
    `I mixed up the house number: it is ${now}, not ${old}. The rest of the address stands.`,
  (now: string, old: string) => `Correction to the address: ${now} instead of ${old}. City and everything else stay.`,
];

const ADDRESS = /address|street|(^|_)line_?1$/;

const candidatesOf = (site: Site): Candidate[] => {
  const { stage, call, n, when, random } = site;
  return argumentsOfTool(stage.world, call.tool).flatMap(({ name, path: steps }) => {
    const path = steps.join('.');
    const old = valueAt(call.args, path);
    const [, number, street] = (typeof old === 'string' ? STREET.exec(old) : null) ?? [];
    if (!ADDRESS.test(name) || typeof old !== 'string' || number === undefined || street === undefined) return [];
    const now = `${Number(number) + random.stream(path).int(1, 9) * 2}${street}`;
    const say = random.pick(SAYINGS)(now, old);
    return (
      eventByRun(stage, {
        id: `other_${name}_${n}`,
        source: 'requirement',
        when,
        effect: { say },
        notify: { to: 'user', text: say },
        calls: withValue(site, path, old, now),
      }) ?? []
    );
  });
};

export const housesMoved = (stage: Stage, random: Rng): Candidate[] => atWrites(stage, random, candidatesOf, 1);
