/** Requirement events: of a few fixed choices (a reason, a kind, a priority) it is another one. */

import { valueAt } from '../../../kit/json-path.js';
import type { Rng } from '../../../kit/rng.js';
import { spaced, wordsOf } from '../../../kit/words.js';
import { argColumn } from '../../../world/surface/args.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { argumentsOfTool } from './slots.js';

const SAYINGS = [
  (name: string, words: string) => `One correction: the ${name} is “${words}”, please put that down.`,
  (name: string, words: string) => `Please do not get the ${name} wrong: to be honest it is “${words}”.`,
];

const candidatesOf = (site: Site): Candidate[] => {
  const { stage, call, n, when, random } = site;
  const { world } = stage;
  const found = world.tools.get(call.tool);
  if (!found) return [];
  return argumentsOfTool(world, call.tool).flatMap((spec) => {
    const path = spec.path.join('.');
    const old = valueAt(call.args, path);
    const choices = spec.arg.enum ?? argColumn(found.service.spec, found.tool.tool, spec.name)?.enum ?? [];
    const others = choices.filter((one) => one !== old);
    if (typeof old !== 'string' || !choices.includes(old) || others.length === 0) return [];
    const other = random.stream(path).pick(others);
    const say = random.pick(SAYINGS)(spaced(spec.name), wordsOf(other).join(' '));
    return (
      eventByRun(stage, {
        id: `other_${spec.name}_${n}`,
        source: 'requirement',
        when,
        effect: { say },
        notify: { to: 'user', text: say },
        calls: withValue(site, path, old, other),
      }) ?? []
    );
  });
};

export const otherTerms = (stage: Stage, random: Rng): Candidate[] => atWrites(stage, random, candidatesOf);
