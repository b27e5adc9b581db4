/**
 * `npm run bench -- state [--small] [--page 4096]`: what a private copy of a 1 MB database costs, in microseconds
 * (medians) and resident kilobytes, beside the same wasm build's own deserialize, which copies the image per session.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Base } from '../src/world/state/base.js';
import type { Connection } from '../src/world/state/connection.js';
import { diffStates } from '../src/world/state/diff.js';
import { Engine } from '../src/world/state/engine.js';
import { type FrozenState, State } from '../src/world/state/state.js';
import { baseFor, KEYS, TICKETS } from './state-data.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Median microseconds of one call, over `times` calls after as many to warm up. */
const measure = (times: number, work: (i: number) => void): number => {
  const took: number[] = [];
  for (let i = 0; i < times * 2; i++) {
    const from = performance.now();
    work(i);
    if (i >= times) took.push((performance.now() - from) * 1000);
  }
  return median(took);
};

const residentKb = (): number => {
  collect();
  collect();
  return process.memoryUsage().rss / 1024;
};

const ticket = (i: number): string => `tic_${(i * 37) % TICKETS}`;
const ONE = 'SELECT * FROM ticket WHERE id = ?';

const work = (connection: Connection, i: number): void => {
  const update = connection.prepare('UPDATE ticket SET status = ?, updated_at = ? WHERE id = ?');
  for (let k = 0; k < 20; k++) update.run(['closed', i * 20 + k, ticket(i * 20 + k)]);
  connection
    .prepare('INSERT INTO comment VALUES (?, ?, ?, ?, ?)')
    .run([`new_${i}`, ticket(i), 'con_1', 'closed with a note', i]);
};

const transaction = (connection: Connection, i: number): void => {
  connection.begin();
  connection.prepare(ONE).get([ticket(i)]);
  connection.prepare('UPDATE ticket SET status = ?, updated_at = ? WHERE id = ?').run(['pending', i, ticket(i)]);
  connection.prepare('INSERT INTO comment VALUES (?, ?, ?, ?, ?)').run([`t_${i}`, ticket(i), 'con_1', 'noted', i]);
  connection.prepare('SELECT count(*) AS n FROM comment WHERE ticket_id = ?').get([ticket(i)]);
  connection.commit();
};

/** Median microseconds to deserialize the image into a database of its own and run the first query there. */
const deserialize = (engine: Engine, base: Base, times: number): number => {
  const { sqlite3 } = engine.runtime.wasm;
  const { capi, oo1, wasm } = sqlite3;
  return measure(times, (i) => {
    const db = new oo1.DB();
    const at = wasm.allocFromTypedArray(base.image);
    const size = base.image.length;
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    capi.sqlite3_deserialize(db.pointer as number, 'main', at, size, size, flags);
    db.selectArray(ONE, [ticket(i)]);
    db.close();
  });
};

/** Resident kilobytes of a session that only read, and what its writes add; the first sessions are not counted. */
const resident = (base: Base, connection: Connection, sessions: number): { idle: number; active: number } => {
  const open = (i: number): State => {
    const state = State.open(base);
    connection.bind(state);
    connection.prepare(ONE).get([ticket(i)]);
    return state;
  };
  const use = (state: State, i: number): void => {
    connection.bind(state);
    work(connection, i);
  };
  const warm = Array.from({ length: sessions }, (_, i) => open(i));
  for (const [i, state] of warm.entries()) use(state, i);
  const idleSessions = sessions * 20;
  const before = residentKb();
  const states = Array.from({ length: idleSessions }, (_, i) => open(i));
  const between = residentKb();
  for (const [i, state] of states.slice(0, sessions).entries()) use(state, i);
  const after = residentKb();
  for (const state of [...warm, ...states]) state.drop();
  return { idle: (between - before) / idleSessions, active: (after - between) / sessions };
};

export const main = async (args: string[]): Promise<Record<string, number>> => {
  const times = args.includes('--small') ? 100 : 2000;
  const sessions = args.includes('--small') ? 100 : 1000;
  const pageSize = args.includes('--page') ? Number(args[args.indexOf('--page') + 1]) : undefined;
  const engine = await Engine.start();
  const base = baseFor(engine, pageSize);
  process.stderr.write(`database of ${base.image.length} bytes, pages of ${base.pageSize}\n`);
  const connection = engine.connection('bench');
  const memory = resident(base, connection, sessions);

  const opened = measure(times, (i) => {
    const state = State.open(base);
    connection.bind(state);
    connection.prepare(ONE).get([ticket(i)]);
  });
  const origin = State.open(base);
  connection.bind(origin);
  work(connection, 1);
  const forks: State[] = [];
  const fork = measure(times, () => forks.push(origin.fork()));
  const frozen: FrozenState[] = [];
  const snapshot = measure(times, () => frozen.push(origin.snapshot()));
  const busy = State.open(base);
  connection.bind(busy);
  const txn = measure(times, (i) => transaction(connection, i));

  const changed = origin.fork();
  connection.bind(changed);
  const update = connection.prepare('UPDATE ticket SET status = ?, updated_at = ? WHERE id = ?');
  for (let k = 0; k < 20; k++) update.run(['pending', k, ticket(1000 + k)]);
  const changes = diffStates(origin, changed, KEYS).length;
  if (changes !== 20) throw new Error(`the diff found ${changes} changes, not 20`);
  const diff = measure(Math.min(times, 500), () => void diffStates(origin, changed, KEYS));
  const peer = deserialize(engine, base, Math.min(times, 200));
  engine.close();
  return {
    open_query_us: round(opened),
    fork_us: round(fork),
    snapshot_us: round(snapshot),
    txn_us: round(txn),
    deserialize_us: round(peer),
    ratio_open: round(peer / opened, 1),
    diff_ms: round(diff / 1000, 3),
    rss_kb_idle: round(memory.idle),
    rss_kb_active: round(memory.active, 1),
  };
};
