/** What a store did, written down by the store itself: triggers in the very transactions, so that no front has to live to tell it. */
import { join } from 'node:path';
import { storeOwnership } from '../../../src/serve/durable/ownership/stored.js';
import { openStore } from '../../../src/serve/durable/store/libsql.js';
import type { Drilled, OwnershipStep } from '../history.js';

const ROW = 'session, owner, gen, head_gen, head_seq, head_key';
const NEW = 'new.id, new.owner, new.gen, new.head_gen, new.head_seq, new.head_key';
const say = (what: string): string => `begin insert into drill_history (what, ${ROW}) values ('${what}', ${NEW}); end`;

const OLD = 'old.id, old.owner, old.gen, null, null, null';

const DDL = [
  `create table drill_history (n integer primary key, what text not null, session text not null, owner text,
     gen bigint not null, head_gen bigint, head_seq bigint, head_key text)`,
  `create trigger drill_begun after insert on sessions ${say('claimed')}`,
  `create trigger drill_claimed after update of gen on sessions when new.gen <> old.gen ${say('claimed')}`,
  `create trigger drill_forgotten after delete on sessions
     begin insert into drill_history (what, ${ROW}) values ('forgotten', ${OLD}); end`,
  `create trigger drill_moved after update of head_key on sessions when new.head_key is not old.head_key ${say('moved')}`,
];

/** Before the first front of a data folder. */
export const watchStore = async (data: string): Promise<void> => {
  const store = await openStore(join(data, 'store'));
  await store.tx(async (sql) => {
    for (const statement of DDL) await sql.run(statement);
  });
  await store.close();
};

/** After the last one. */
export const storeHistory = async (data: string): Promise<Pick<Drilled, 'ownership' | 'heads'>> => {
  const store = await openStore(join(data, 'store'));
  try {
    const rows = await store.tx((sql) => sql.all(`select what, ${ROW} from drill_history order by n`));
    const ownership = rows.map((row): OwnershipStep => {
      const session = String(row.session);
      if (row.what === 'forgotten') return { is: 'forgotten', session };
      if (row.what === 'claimed') return { is: 'claimed', session, by: String(row.owner), gen: Number(row.gen) };
      const head = { gen: Number(row.head_gen), seq: Number(row.head_seq), key: String(row.head_key) };
      return { is: 'moved', session, ...head };
    });
    const sessions = await storeOwnership(store).sessions();
    return { ownership, heads: sessions.flatMap(({ session, head }) => (head ? [{ session, ...head }] : [])) };
  } finally {
    await store.close();
  }
};
