/** The stages of the model author for a blueprint: the part that is asked, as it is asked, and the answer that is right. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Invariant } from '../../artifacts/world.js';
import type { Part } from '../../author/model/ask.js';
import { actionsPart } from '../../author/model/parts/actions.js';
import { type Planning, planBrief, type Shared } from '../../author/model/parts/plan.js';
import { type Rules, rulesPart } from '../../author/model/parts/rules.js';
import { tablesPart } from '../../author/model/parts/tables.js';
import type { ServiceWork, Setting } from '../../author/model/spec/service.js';
import { compileAll, type Frame } from '../../author/model/spec/world.js';
import { actionEntries, planAnswer, ruleEntry, tableEntry } from './notation/entries.js';

/** Tables whose actions are asked for together (author/model/settle-service.ts). */
const TABLES_AT_ONCE = 2;

/** What the stages need of a blueprint, certified or not yet. */
export interface Desk {
  brief: string;
  country: string | undefined;
  frame: Frame;
  setting: Setting;
  shared: Shared[];
  works: ServiceWork[];
}

export interface Stage {
  part: Part;
  answer: object;
}

/** A copy to write on: the service as it was planned, with nothing written yet. */
export const blank = (work: ServiceWork): ServiceWork => ({ ...structuredClone(work), tables: {}, lost: [] });

export const presentOf = ({ works }: Pick<Desk, 'works'>): ReadonlySet<string> => new Set(works.map(({ id }) => id));

export const planStage = (desk: Desk): Stage & Planning => {
  const planning = planBrief(desk.brief);
  return { ...planning, answer: planAnswer(desk.works, desk.shared, desk.country) };
};

/** `into` takes the answer in: a blank service, or one that holds some tables already. */
export const tablesStage = (desk: Desk, work: ServiceWork, into = blank(work)): Stage & { into: ServiceWork } => {
  const { setting, shared } = desk;
  const part = tablesPart({ work: into, setting, present: presentOf(desk), shared, document: '' });
  const missing = Object.entries(work.tables).filter(([name]) => !Object.hasOwn(into.tables, name));
  return { part, answer: { tables: missing.map(([name, table]) => tableEntry(name, table)) }, into };
};

/** Tables two at a time, as they are asked for. */
export const pairsOf = (work: ServiceWork): string[][] => {
  const names = Object.keys(work.tables);
  const pairs: string[][] = [];
  for (let at = 0; at < names.length; at += TABLES_AT_ONCE) pairs.push(names.slice(at, at + TABLES_AT_ONCE));
  return pairs;
};

/** The actions of `tables`; `into` holds the tables, without these actions. */
export const actionsStage = (
  desk: Desk,
  work: ServiceWork,
  tables: readonly string[],
  into: ServiceWork,
): Stage & { into: ServiceWork } => {
  const part = actionsPart({ work: into, setting: desk.setting, present: presentOf(desk), tables, document: '' });
  return { part, answer: { actions: actionEntries(work, tables) }, into };
};

export const rulesStage = (desk: Desk, rules: readonly Invariant[], kept: readonly Invariant[] = []): Stage & Rules => {
  const { specs, links } = compileAll(desk.frame, desk.works, desk.setting);
  const stage = rulesPart(desk.works, specs as ReadonlyMap<string, ServiceSpec>, links, kept);
  const says = new Set(kept.map((rule) => rule.says));
  return { ...stage, answer: { rules: rules.filter((rule) => !says.has(rule.says)).map(ruleEntry) } };
};

/** The tables without any action. */
export const bare = (work: ServiceWork): ServiceWork => ({
  ...structuredClone(work),
  lost: [],
  tables: Object.fromEntries(
    Object.entries(structuredClone(work.tables)).map(([name, { verbs: _, ...table }]) => [name, table]),
  ),
});
