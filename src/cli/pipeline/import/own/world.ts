/** The world of an import: from ServiceSpecs with their rows and nothing else, or from a document, as `treadle build` reads it. */
import { parseArtifact } from '../../../../artifacts/registry.js';
import type { ServiceSpec } from '../../../../artifacts/service.js';
import type { Snapshot } from '../../../../artifacts/snapshot.js';
import type { Policy, WorldSpec } from '../../../../artifacts/world.js';
import type { BuiltWorld } from '../../../../author/assemble.js';
import { fitOwnRows } from '../../../../author/own-data/fit.js';
import { readOwnTables } from '../../../../author/own-data/read.js';
import { misfit, type OwnRow, type OwnTable } from '../../../../author/own-data/types.js';
import { readBytes, readData } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';
import { parseIso } from '../../../../kit/calendar.js';
import { addressOf, deepFreeze, sha256 } from '../../../../kit/hash.js';
import { COUNTER_TABLE, ddlOf, quoted } from '../../../../world/ddl.js';
import { idOf } from '../../../../world/ids.js';
import { unloadWorld } from '../../../../world/loaded.js';
import type { Engine } from '../../../../world/state/engine.js';
import type { Row, SqlValue } from '../../../../world/state/types.js';
import { draftsOf } from '../../drafts.js';
import { readInput } from '../../input.js';
import { withOwn } from '../../own.js';
import { makeWorld } from '../../world.js';
import { type Folder, placed } from './manifest.js';

/** 2026-01-05, 09:00 UTC. */
const CLOCK = 1_767_603_600;

const companyOf = ({ id, manifest: { company = {} } }: Folder): WorldSpec['company'] => ({
  name: company.name ?? id,
  legalName: company.name ?? id,
  domain: `${id.replaceAll('_', '-')}.example`,
  about: company.about ?? 'Imported tasks and the services that they need.',
  country: company.country ?? 'US',
  city: company.city ?? 'New York',
  timezone: company.timezone ?? 'America/New_York',
  currency: company.currency ?? 'USD',
  locale: 'en_US',
  industry: { naics: '541990', title: 'All Other Professional, Scientific, and Technical Services' },
  employees: 50,
  founded: 2015,
});

/** `table=FILE` and `FILE`, each with its path in the folder. */
const dataIn = (folder: Folder): string[] =>
  (folder.manifest.data ?? []).map((given) => {
    const [, table, file] = /^([A-Za-z_][\w.]*)=(.+)$/.exec(given) ?? [];
    const path = placed(folder, 'data', file ?? given);
    return table === undefined ? path : `${table}=${path}`;
  });

const policiesOf = (folder: Folder): Policy[] => {
  const { policy } = folder.manifest;
  if (policy === undefined) return [];
  const text = Buffer.from(readBytes(placed(folder, 'policy', policy)))
    .toString('utf8')
    .trim();
  return text === '' ? [] : [{ id: 'policy', text }];
};

const specsOf = (folder: Folder): ServiceSpec[] => {
  const specs = (folder.manifest.services ?? []).map((file) =>
    parseArtifact('service', readData(placed(folder, 'services', file)), file),
  );
  const twice = specs.find(({ id }, n) => specs.findIndex((other) => other.id === id) !== n);
  if (!twice) return specs;
  throw new TreadleError({
    code: 'bad_import',
    message: 'Two services have one id',
    value: twice.id,
    next: 'Rename one of them.',
  });
};

/** Keys of rows that came without one, and what they refer to by a label. */
const keyed = (spec: ServiceSpec, own: Record<string, OwnRow[]>, seed: string) => {
  const counters: Record<string, number> = {};
  const problems: string[] = [];
  for (const [name, rows] of Object.entries(own)) {
    const { key } = spec.tables[name] as ServiceSpec['tables'][string];
    const taken = new Set(rows.map(({ values }) => values[key.col]));
    for (const { at, values } of rows) {
      if (values[key.col] !== undefined) continue;
      if (!key.gen) problems.push(`${at}: no ${key.col}, which the service does not make up itself`);
      while (key.gen && (values[key.col] === undefined || taken.has(values[key.col]))) {
        counters[name] = (counters[name] ?? 0) + 1;
        const made = idOf(key.gen, `${seed}/${spec.id}/${name}`, counters[name]);
        if (taken.has(made)) continue;
        values[key.col] = made;
        break;
      }
      taken.add(values[key.col]);
    }
    // New rows get other ids than these: the counter goes on behind all of them.
    counters[name] = Math.max(counters[name] ?? 0, rows.length);
  }
  for (const [name, rows] of Object.entries(own))
    for (const { values, refs = {} } of rows)
      for (const [col, nth] of Object.entries(refs)) {
        const target = spec.tables[name]?.cols[col]?.fk as string;
        values[col] = own[target]?.[nth]?.values[spec.tables[target]?.key.col as string] ?? null;
      }
  if (problems.length > 0) throw misfit(problems, 'Give every row its key.');
  return counters;
};

const withDefaults = (spec: ServiceSpec, table: string, row: Row): Row =>
  Object.fromEntries(
    Object.entries(spec.tables[table]?.cols ?? {}).map(([col, { default: value }]): [string, SqlValue] => {
      const given = row[col] ?? value ?? null;
      return [col, typeof given === 'boolean' ? Number(given) : given];
    }),
  );

const imageOf = (engine: Engine, spec: ServiceSpec, own: Record<string, OwnRow[]>, seed: string): Uint8Array => {
  const counters = keyed(spec, own, seed);
  return engine.build(ddlOf(spec), (connection) => {
    for (const [table, rows] of Object.entries(own)) {
      const cols = Object.keys(spec.tables[table]?.cols ?? {});
      const insert = connection.prepare(
        `INSERT INTO ${quoted(table)} (${cols.map(quoted).join(', ')}) VALUES (${cols.map(() => '?').join(', ')})`,
      );
      for (const { at, values } of rows) {
        const row = withDefaults(spec, table, values);
        try {
          insert.run(cols.map((col) => row[col] ?? null));
        } catch (thrown) {
          if (!(thrown instanceof TreadleError) || thrown.code !== 'constraint') throw thrown;
          throw misfit([`${at}: ${thrown.message}`], 'Correct the row, or the table in the service.');
        }
      }
    }
    const count = connection.prepare(`INSERT INTO ${quoted(COUNTER_TABLE)} (name, n) VALUES (?, ?)`);
    for (const [name, n] of Object.entries(counters)) count.run([name, n]);
  }).image;
};

/** ServiceSpecs, their rows and the policy: no company around them, nothing seeded. */
const fromServices = (engine: Engine, folder: Folder, tables: readonly OwnTable[], seed: string): BuiltWorld => {
  const specs = specsOf(folder);
  const company = companyOf(folder);
  const own = fitOwnRows(tables, specs, company.currency);
  const clock = (folder.manifest.clock && parseIso(folder.manifest.clock)) || CLOCK;
  const images = Object.fromEntries(specs.map((spec) => [spec.id, imageOf(engine, spec, own[spec.id] ?? {}, seed)]));
  const databases = Object.fromEntries(Object.entries(images).map(([id, image]) => [id, sha256(image)]));
  const snapshot: Snapshot = deepFreeze({ treadle: 'snapshot/1', clock, databases, files: {} });
  const world: WorldSpec = deepFreeze({
    treadle: 'world/1',
    id: folder.id,
    company,
    brief: {
      text: `Imported: ${company.name}`,
      evidence: specs.map(({ id }) => ({
        choice: `service ${id}`,
        because: 'treadle import tasks',
        kind: 'note' as const,
      })),
    },
    clock,
    seed,
    services: specs.map((spec) => ({ id: spec.id, hash: addressOf(spec), role: 'domain' as const, prefix: '' })),
    links: [],
    policies: policiesOf(folder),
    invariants: [],
    processes: [],
    rows: Object.fromEntries(
      specs.map((spec) => [
        spec.id,
        Object.fromEntries(Object.keys(spec.tables).map((table) => [table, own[spec.id]?.[table]?.length ?? 0])),
      ]),
    ),
    snapshot: addressOf(snapshot),
  });
  return { world, snapshot, services: specs, images };
};

/** Services read from a document, in a company of their own, with the rows that were given among seeded ones. */
const fromDocument = async (engine: Engine, folder: Folder, seed: string): Promise<BuiltWorld> => {
  const { document = '', overrides } = folder.manifest;
  const path = placed(folder, 'document', document);
  const input = await withOwn(await readInput(path), path, {
    data: dataIn(folder),
    ...(overrides === undefined ? {} : { overrides: placed(folder, 'overrides', overrides) }),
  });
  const draft = draftsOf(input, seed).draft(0, 0);
  const { loaded, built } = makeWorld(
    engine,
    { ...draft, id: folder.id, policies: [...draft.policies, ...policiesOf(folder)] },
    () => 0,
  );
  unloadWorld(loaded);
  return built;
};

/** Throws what is wrong with a file: `bad_import`, `bad_artifact`, `data_does_not_fit`, and what the readers throw. */
export const worldIn = async (engine: Engine, folder: Folder, seed: string): Promise<BuiltWorld> => {
  if (folder.manifest.document !== undefined) return fromDocument(engine, folder, seed);
  const tables: OwnTable[] = [];
  for (const given of dataIn(folder)) tables.push(...(await readOwnTables(given)));
  return fromServices(engine, folder, tables, seed);
};
