/** Invariant templates: rules across two services that the world does not enforce (data/invariants.yaml). */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { Invariant } from '../../artifacts/world.js';

const folder = new URL('../../../data/', import.meta.url);
let loaded: Invariant[] | undefined;

/** All templates, in the file's order. */
export const invariantTemplates = (): readonly Invariant[] => {
  loaded ??= z
    .strictObject({ invariants: z.array(Invariant) })
    .parse(parse(readFileSync(new URL('invariants.yaml', folder), 'utf8'))).invariants;
  return loaded;
};

const MOST = 8;

/** Those whose two services are present: all between two trade services, then rules about people, at most eight. */
export const invariantsFor = (present: ReadonlySet<string>): Invariant[] => {
  const fitting = invariantTemplates().filter(
    ({ trigger, target }) => present.has(trigger.service) && present.has(target.service),
  );
  const people = ({ trigger, target }: Invariant): boolean =>
    trigger.service === 'directory' || target.service === 'directory';
  const trade = fitting.filter((each) => !people(each)).slice(0, MOST - 1);
  const general = fitting.filter(people).slice(0, Math.max(1, Math.min(3, MOST - trade.length)));
  return structuredClone([...trade, ...general]);
};
