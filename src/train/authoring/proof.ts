/** Whether a sample's answer, put in place, leads to the certified world it is said to lead to: by content address. */
import type { Invariant } from '../../artifacts/world.js';
import type { ServiceWork } from '../../author/model/spec/service.js';
import { addressOf } from '../../kit/hash.js';
import { draftWith } from './settle.js';
import type { Blueprint } from './types.js';

/** Tables in the blueprint's order; what was added last stands where it stood. */
const inOrder = <Item>(items: Readonly<Record<string, Item>>, order: readonly string[]): Record<string, Item> => {
  const rest = Object.keys(items).filter((name) => !order.includes(name));
  return Object.fromEntries(
    [...order, ...rest].flatMap((name): [string, Item][] =>
      Object.hasOwn(items, name) ? [[name, items[name] as Item]] : [],
    ),
  );
};

export const ordered = (work: ServiceWork, like: ServiceWork): ServiceWork => {
  const tables = inOrder(work.tables, Object.keys(like.tables));
  for (const [name, table] of Object.entries(tables)) {
    const model = like.tables[name];
    tables[name] = {
      ...table,
      cols: inOrder(table.cols, Object.keys(model?.cols ?? {})),
      ...(table.verbs ? { verbs: inOrder(table.verbs, Object.keys(model?.verbs ?? {})) } : {}),
    };
  }
  return { ...work, tables, lost: [] };
};

/** Rules in the blueprint's order and under its ids where they are the same rules. */
const ruled = (rules: readonly Invariant[], like: readonly Invariant[]): Invariant[] => {
  const known = like.filter((one) => rules.some((rule) => addressOf({ ...rule, id: one.id }) === addressOf(one)));
  return [...known, ...rules.filter(({ says }) => !known.some((one) => one.says === says))];
};

/** The blueprint with one of its services replaced. */
export const withWork = (blueprint: Blueprint, work: ServiceWork): ServiceWork[] =>
  blueprint.works.map((one) => (one.id === work.id ? work : one));

/** Compiles the parts again; true when the draft is byte for byte the blueprint's, which certified. */
export const landsOn = (blueprint: Blueprint, works: readonly ServiceWork[], rules: readonly Invariant[]): boolean => {
  try {
    const placed = works.map((work) => ordered(work, blueprint.works.find(({ id }) => id === work.id) as ServiceWork));
    return addressOf(draftWith(blueprint, placed, ruled(rules, blueprint.rules))) === blueprint.address;
  } catch {
    return false;
  }
};
