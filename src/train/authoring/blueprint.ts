/** A certified corpus world written anew in the model author's notation, read by its own readers, and certified again. */
import type { Invariant } from '../../artifacts/world.js';
import type { DraftTable } from '../../author/catalogue/archetype.js';
import { actionsPart } from '../../author/model/parts/actions.js';
import type { Shared } from '../../author/model/parts/plan.js';
import type { ServiceWork } from '../../author/model/spec/service.js';
import type { Certify } from '../../author/model/types.js';
import type { WorldDescription } from '../../corpus/corpus.js';
import { addressOf } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { askExpert } from './expert.js';
import { actionEntry, ruleEntry } from './notation/entries.js';
import { chosenTables, simplify } from './notation/simplify.js';
import { archetypesOf, chooseServices } from './select.js';
import { settle } from './settle.js';
import { blank, type Desk, planStage, presentOf, rulesStage, tablesStage } from './stages.js';
import type { Blueprint, TableHint } from './types.js';

export type Skip = 'no_archetypes' | 'not_expressible' | 'too_few_rules' | 'not_certified_anew';

/** Who the samples' worlds say they are written by. */
const AUTHOR = 'treadle';
const MOST_PASSES = 6;
const LEAST_RULES = 2;
const MOST_RULES = 4;

const linesOf = (work: ServiceWork): [string, string, string][] =>
  Object.entries(work.tables).flatMap(([table, { cols }]) =>
    Object.entries(cols).map(([col, text]): [string, string, string] => [table, col, text]),
  );

/** The references between the services that the plan can name: to a running number or a unique text. */
const sharedOf = (works: readonly ServiceWork[]): Shared[] => {
  const byId = new Map(works.map((work) => [work.id, work]));
  return works.flatMap((work) =>
    linesOf(work).flatMap(([table, col, text]): Shared[] => {
      const [service = '', other = '', key = ''] = /^ref!? (\S+)/.exec(text)?.[1]?.split('.') ?? [];
      const line = byId.get(service)?.tables[other]?.cols[key];
      if (service === work.id || !line || !/^no\b|\bunique\b/.test(line)) return [];
      return [{ from: { service: work.id, table, col }, to: { service, table: other, col: key } }];
    }),
  );
};

/** The services that share a column with another one; the plan asks for it. */
const sharing = (works: readonly ServiceWork[]): ServiceWork[] => {
  const ends = new Set(sharedOf(works).flatMap(({ from, to }) => [from.service, to.service]));
  const kept = works.filter(({ id }) => ends.has(id));
  return kept.length === works.length ? kept : sharing(kept);
};

const worksOf = (
  description: WorldDescription,
  seed: string,
): { works: ServiceWork[]; hints: Map<string, TableHint> } => {
  const draw = rng(seed, 'blueprint', description.world.id);
  const chosen = chooseServices(description, draw.stream('services'));
  const ids = new Set(chosen.map(({ id }) => id));
  const rules = description.world.invariants.filter(
    ({ trigger, target }) => (ids.has(trigger.service) || trigger.service === 'directory') && ids.has(target.service),
  );
  const pointed = (id: string): string[] =>
    chosen.flatMap((one) =>
      Object.values(one.tables).flatMap(({ cols }) =>
        Object.values(cols).flatMap((text) =>
          [...text.matchAll(/\b([a-z_]+)\.([a-z_]+)\.[a-z_]+/g)].flatMap(([, service, table]) =>
            service === id && table ? [table] : [],
          ),
        ),
      ),
    );
  const tables = new Map(
    chosen.map((one) => [one.id, chosenTables(one, rules, pointed(one.id), draw.stream(`tables ${one.id}`))]),
  );
  let places = new Set(
    chosen.flatMap((one) =>
      (tables.get(one.id) ?? []).flatMap((name) =>
        Object.keys(one.tables[name]?.cols ?? {}).map((col) => `${one.id}.${name}.${col}`),
      ),
    ),
  );
  const hints = new Map<string, TableHint>();
  let works: ServiceWork[] = [];
  // What one pass leaves out can be what another service points at.
  for (let pass = 0; pass < 2; pass++) {
    const has = (place: string): boolean => place.startsWith('directory.') || places.has(place);
    works = chosen.map((one) => {
      const cut = simplify(one, tables.get(one.id) ?? [], has, rules, draw.stream(`cut ${one.id}`));
      for (const [name, hint] of Object.entries(cut.hints)) hints.set(`${one.id}.${name}`, hint);
      const planned = Object.entries(cut.tables).map(([name, { about = '' }]) => ({ name, about }));
      return { id: one.id, title: one.title, about: one.about, from: 'brief', planned, tables: cut.tables, lost: [] };
    });
    places = new Set(works.flatMap((work) => linesOf(work).map(([table, col]) => `${work.id}.${table}.${col}`)));
  }
  return { works, hints };
};

/** Every service has somebody who is responsible; the notation asks for it. */
const staffed = (work: ServiceWork): void => {
  if (linesOf(work).some(([, , text]) => /^emp(no)?\b/.test(text))) return;
  const [first] = Object.values(work.tables);
  if (first) first.cols = { ...first.cols, handler_email: 'emp!' };
};

/** Takes out what the author's reader holds against the tables; false when nothing could be taken out. */
const mend = (work: ServiceWork, at: string): boolean => {
  const [name = '', col = ''] = at.split('.');
  const table = work.tables[name];
  if (!table) return false;
  if (col === 'checks') delete table.check;
  else if (Object.hasOwn(table.cols, col)) {
    const { [col]: _, ...rest } = table.cols;
    table.cols = rest;
  } else return false;
  return true;
};

/** The tables as the author's reader takes them; undefined when it does not. */
const readTables = async (desk: Desk, work: ServiceWork): Promise<Record<string, DraftTable> | undefined> => {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const stage = tablesStage(desk, work);
    const { left } = await askExpert(stage.part, stage.answer);
    if (left.length === 0) return stage.into.tables;
    const mended = left.filter(({ at }) => mend(work, at));
    if (mended.length === 0) return undefined;
  }
  return undefined;
};

/** The actions that the author's reader takes, each alone; tables whose states nothing moves have none. */
const readActions = async (desk: Desk, work: ServiceWork, tables: Record<string, DraftTable>): Promise<ServiceWork> => {
  const into: ServiceWork = { ...blank(work), tables };
  for (const [name, table] of Object.entries(work.tables)) {
    for (const [verb, draft] of Object.entries(table.verbs ?? {})) {
      const entry = actionEntry(name, verb, draft);
      if (!entry) continue;
      const known = structuredClone(into.tables);
      const part = actionsPart({
        work: into,
        setting: desk.setting,
        present: presentOf(desk),
        tables: [name],
        document: '',
      });
      const { left } = await askExpert(part, { actions: [entry] });
      if (left.length > 0) into.tables = known;
    }
    const own = into.tables[name] as DraftTable;
    if (own.status && Object.keys(own.verbs ?? {}).length === 0) {
      const { status: _, verbs: __, ...rest } = own;
      into.tables[name] = rest;
    }
  }
  into.lost = [];
  return into;
};

/** The rules that the author's reader takes, each alone. */
const readRules = async (desk: Desk, rules: readonly Invariant[]): Promise<Invariant[]> => {
  let kept: Invariant[] = [];
  for (const rule of rules) {
    if (kept.length >= MOST_RULES) break;
    const stage = rulesStage(desk, [rule], kept);
    await askExpert(stage.part, { rules: [ruleEntry(rule)] });
    kept = stage.rules();
  }
  return kept;
};

/** The brief's country, where its own words say it. */
const countryOf = ({ world }: WorldDescription): string | undefined =>
  world.brief.evidence.some(({ choice, kind }) => kind === 'words' && choice === `country ${world.company.country}`)
    ? world.company.country
    : undefined;

/**
 * Writes a world in the notation: at most four of its services with five tables each, what the notation cannot say left out, and
 * certifies it with `certify`. Deterministic in (world, seed). The samples' worlds are smaller than the corpus world they come from.
 */
export const blueprintOf = async (
  description: WorldDescription,
  seed: string,
  certify: Certify,
): Promise<Blueprint | { skipped: Skip }> => {
  if (archetypesOf(description).size === 0) return { skipped: 'no_archetypes' };
  const { world } = description;
  const { id, company, brief, clock } = world;
  const drawn = worksOf(description, seed);
  for (const work of drawn.works) staffed(work);
  const works = sharing(drawn.works.filter(({ tables }) => Object.keys(tables).length >= 2));
  if (works.length < 2) return { skipped: 'not_expressible' };
  const desk: Desk = {
    brief: brief.text,
    country: countryOf(description),
    frame: { id, company, brief, clock, seed: world.seed },
    setting: { currency: company.currency, model: AUTHOR },
    shared: sharedOf(works),
    works,
  };
  const plan = planStage(desk);
  if ((await askExpert(plan.part, plan.answer)).left.length > 0) return { skipped: 'not_expressible' };
  const read: ServiceWork[] = [];
  for (const planned of plan.plan()?.services ?? []) {
    const work = works.find((one) => one.id === planned.id) as ServiceWork;
    const tables = await readTables(desk, { ...planned, tables: work.tables });
    if (!tables) return { skipped: 'not_expressible' };
    read.push(await readActions(desk, { ...planned, tables: work.tables }, tables));
  }
  desk.works = read;
  desk.shared = desk.shared.filter(({ from }) =>
    read.some((work) => work.id === from.service && work.tables[from.table]?.cols[from.col] !== undefined),
  );
  const rules = await readRules(desk, world.invariants);
  if (rules.length < LEAST_RULES) return { skipped: 'too_few_rules' };
  const settled = await settle(desk, rules, certify);
  if (!settled || settled.rules.length < LEAST_RULES) return { skipped: 'not_certified_anew' };
  return {
    ...desk,
    works: settled.works,
    rules: settled.rules,
    world: { id, hash: addressOf(world) },
    draft: settled.draft,
    address: addressOf(settled.draft),
    validators: settled.validators,
    hints: drawn.hints,
  };
};
