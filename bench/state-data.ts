/** The database that bench/state.ts measures: about 1 MB in four tables with the indexes a service has. */
import { rng } from '../src/kit/rng.js';
import type { Base } from '../src/world/state/base.js';
import { buildBase } from '../src/world/state/build.js';
import type { Connection } from '../src/world/state/connection.js';
import type { Engine } from '../src/world/state/engine.js';

export const DDL = [
  'CREATE TABLE account (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL, tier TEXT NOT NULL) STRICT',
  `CREATE TABLE contact (id TEXT PRIMARY KEY NOT NULL, account_id TEXT NOT NULL REFERENCES account (id), name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE, phone TEXT, created_at INTEGER NOT NULL) STRICT`,
  `CREATE TABLE ticket (id TEXT PRIMARY KEY NOT NULL, contact_id TEXT NOT NULL REFERENCES contact (id), subject TEXT NOT NULL,
    body TEXT NOT NULL, status TEXT NOT NULL, priority INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER) STRICT`,
  `CREATE TABLE comment (id TEXT PRIMARY KEY NOT NULL, ticket_id TEXT NOT NULL REFERENCES ticket (id) ON DELETE CASCADE,
    author TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT`,
  'CREATE INDEX contact_account ON contact (account_id)',
  'CREATE INDEX ticket_contact ON ticket (contact_id)',
  'CREATE INDEX ticket_status ON ticket (status)',
  'CREATE INDEX comment_ticket ON comment (ticket_id)',
];
export const KEYS = { account: 'id', contact: 'id', ticket: 'id', comment: 'id' };
export const TICKETS = 1800;

const WORDS =
  'invoice refund late order shipment missing wrong address login reset password slow page error report'.split(' ');

const fill = (connection: Connection): void => {
  const random = rng(1, 'bench');
  const insert = (table: string, rows: (string | number | null)[][]): void => {
    const statement = connection.prepare(`INSERT INTO ${table} VALUES (${rows[0]?.map(() => '?').join(', ')})`);
    for (const row of rows) statement.run(row);
  };
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const text = (words: number): string => many(words, () => random.pick(WORDS)).join(' ');
  const clock = 1_700_000_000;
  insert(
    'account',
    many(150, (i) => [`acc_${i}`, text(2), random.pick(WORDS), random.pick(['free', 'pro'])]),
  );
  insert(
    'contact',
    many(700, (i) => [`con_${i}`, `acc_${i % 150}`, text(2), `user${i}@example.com`, `+1-555-${1000 + i}`, clock + i]),
  );
  insert(
    'ticket',
    many(TICKETS, (i) => [
      `tic_${i}`,
      `con_${i % 700}`,
      text(5),
      text(20),
      random.pick(['open', 'pending', 'closed']),
      random.int(1, 4),
      clock + i * 60,
      null,
    ]),
  );
  insert(
    'comment',
    many(2600, (i) => [`com_${i}`, `tic_${i % TICKETS}`, `con_${i % 700}`, text(9), clock + i * 90]),
  );
};

/** A base with the given page size; without one, as Engine.build makes it. */
export const baseFor = (engine: Engine, pageSize?: number): Base => buildBase(engine.runtime, DDL, fill, pageSize);
