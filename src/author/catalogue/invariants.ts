/** Invariant templates: rules across two services that the world does not enforce (data/invariants.yaml, and leavers.ts). */
import { z } from 'zod';
import type { ServiceSpec } from '../../artifacts/service.js';
import { Name } from '../../artifacts/table.js';
import type { Invariant } from '../../artifacts/world.js';
import { readDataFile } from '../../kit/data-file.js';
import { leaverRule } from './leavers.js';

const clause = z.string().regex(/^[a-z_]+\.[a-z_]+: .+$/, 'service.table: condition');
const Template = z.strictObject({
  id: Name,
  says: z.string(),
  when: clause,
  none: clause.optional(),
  at_least_one: clause.optional(),
  every: clause.optional(),
  key: z.string(),
  broken: z.string(),
  mended: z.string(),
});

const side = (text: string): { service: string; table: string; where: string } => {
  const at = text.indexOf(': ');
  const [service = '', table = ''] = text.slice(0, at).split('.');
  return { service, table, where: text.slice(at + 2) };
};

const expand = (template: z.infer<typeof Template>): Invariant => {
  const expect = template.none ? 'none' : template.every ? 'every' : 'at_least_one';
  const [trigger = '', target = trigger] = template.key.split(' = ');
  return {
    id: template.id,
    says: template.says,
    trigger: side(template.when),
    target: { ...side(template[expect] ?? ''), expect },
    key: { trigger, target },
    violatedBy: template.broken,
    repairedBy: template.mended,
  };
};

let loaded: Invariant[] | undefined;

/** All templates between two trade services, in the file's order. */
export const invariantTemplates = (): readonly Invariant[] => {
  loaded ??= z
    .strictObject({ invariants: z.array(Template) })
    .parse(readDataFile('invariants'))
    .invariants.map(expand);
  return loaded;
};

/** How many templates tie an archetype to any of the others. */
export const tiesTo = (archetype: string, others: readonly string[]): number =>
  invariantTemplates().filter(
    ({ trigger, target }) =>
      (trigger.service === archetype && others.includes(target.service)) ||
      (target.service === archetype && others.includes(trigger.service)),
  ).length;

const MOST_TRADE = 8;
const MOST_PEOPLE = 2;

/** Whether both ends of the rule are in the world: a key that names a service which is not there is left out of its table. */
const stands = ({ trigger, target, key }: Invariant, specs: readonly ServiceSpec[]): boolean => {
  const has = (end: { service: string; table: string }, col: string): boolean =>
    specs.find(({ id }) => id === end.service)?.tables[end.table]?.cols[col] !== undefined;
  return has(trigger, key.trigger) && has(target, key.target);
};

/** The rules of a world: those between its trade services (at most eight, spread over them), then who has left (at most two). */
export const invariantsFor = (present: ReadonlySet<string>, specs: readonly ServiceSpec[]): Invariant[] => {
  const fitting = invariantTemplates().filter(
    (rule) => present.has(rule.trigger.service) && present.has(rule.target.service) && stands(rule, specs),
  );
  const pairs = new Map<string, number>();
  const ranked = fitting.map((rule, i) => {
    const pair = `${rule.trigger.service} ${rule.target.service}`;
    const nth = pairs.get(pair) ?? 0;
    pairs.set(pair, nth + 1);
    return { rule, nth, i };
  });
  ranked.sort((a, b) => a.nth - b.nth || a.i - b.i);
  const trade = ranked.slice(0, MOST_TRADE).map(({ rule }) => rule);
  const people = specs.flatMap((spec) => leaverRule(spec) ?? []).slice(0, MOST_PEOPLE);
  return structuredClone([...trade, ...people]);
};
