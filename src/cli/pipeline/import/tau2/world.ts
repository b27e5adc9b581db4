/** The imported domain as a world: one service, its rows, the policy; no company core, no links and no invariants. */
import type { ServiceSpec } from '../../../../artifacts/service.js';
import type { Snapshot } from '../../../../artifacts/snapshot.js';
import type { Policy, WorldSpec } from '../../../../artifacts/world.js';
import type { BuiltWorld } from '../../../../author/assemble.js';
import { addressOf, deepFreeze, sha256 } from '../../../../kit/hash.js';
import { wordsOf } from '../../../../kit/words.js';
import { COUNTER_TABLE, ddlOf, quoted } from '../../../../world/ddl.js';
import type { Engine } from '../../../../world/state/engine.js';
import type { Tau2Folder } from './read.js';
import { rowsOf } from './rows.js';

export const WORLD_ID = 'tau2_retail';

/** No tool of the domain reads the time: any moment does. 2024-05-15, 15:00 in New York. */
const CLOCK = 1_715_799_600;

const COMPANY: WorldSpec['company'] = {
  name: 'Retail store',
  legalName: 'Retail store',
  domain: 'retail-store.example',
  about: 'An online shop, imported from the retail domain of tau2-bench.',
  country: 'US',
  city: 'New York',
  timezone: 'America/New_York',
  currency: 'USD',
  locale: 'en_US',
  industry: { naics: '454110', title: 'Electronic Shopping and Mail-Order Houses' },
  employees: 50,
  founded: 2015,
};

/** A policy a section of policy.md, named by its heading. */
const policiesOf = (text: string): Policy[] => {
  const sections = text
    .split(/^(?=#{1,6} )/m)
    .map((section) => section.trim())
    .filter(Boolean);
  const taken = new Set<string>();
  return sections.map((section) => {
    const heading = /^#+ (.*)/.exec(section)?.[1] ?? 'policy';
    const name = `p_${wordsOf(heading)
      .join('_')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]/g, '')}`.slice(0, 50);
    let id = name;
    for (let n = 2; taken.has(id); n++) id = `${name}_${n}`;
    taken.add(id);
    return { id, text: section };
  });
};

/** Deterministic: the same files and seed, the same bytes. Throws `bad_shape`, or `constraint` where the service refuses a row. */
export const worldOf = (engine: Engine, folder: Tau2Folder, spec: ServiceSpec, seed: string): BuiltWorld => {
  const rows = rowsOf(folder.db, spec, seed);
  const { image } = engine.build(ddlOf(spec), (connection) => {
    for (const [table, list] of Object.entries(rows)) {
      const cols = Object.keys(spec.tables[table]?.cols ?? {});
      const insert = connection.prepare(
        `INSERT INTO ${quoted(table)} (${cols.map(quoted).join(', ')}) VALUES (${cols.map(() => '?').join(', ')})`,
      );
      for (const row of list) insert.run(cols.map((col) => row[col] ?? null));
    }
    connection
      .prepare(`INSERT INTO ${quoted(COUNTER_TABLE)} (name, n) VALUES (?, ?)`)
      .run(['payment', rows.payment?.length ?? 0]);
  });
  const snapshot: Snapshot = deepFreeze({
    treadle: 'snapshot/1',
    clock: CLOCK,
    databases: { [spec.id]: sha256(image) },
    files: {},
  });
  const counts = Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length]));
  const world: WorldSpec = deepFreeze({
    treadle: 'world/1',
    id: WORLD_ID,
    company: COMPANY,
    brief: {
      text: "tau2-bench's retail domain, imported",
      evidence: [{ choice: `service ${spec.id}`, because: 'treadle import tau2', kind: 'note' }],
    },
    clock: CLOCK,
    seed,
    services: [{ id: spec.id, hash: addressOf(spec), role: 'domain', prefix: '' }],
    links: [],
    policies: policiesOf(folder.policy),
    invariants: [],
    processes: [],
    rows: { [spec.id]: counts },
    snapshot: addressOf(snapshot),
  });
  return { world, snapshot, services: [spec], images: { [spec.id]: image } };
};
