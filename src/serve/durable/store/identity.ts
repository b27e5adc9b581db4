/** Which store this is, so that what lies beside it (blobs, say) can be known as its own. */
import { randomBytes } from 'node:crypto';
import type { Store } from './store.js';

/** 48 random bits in hex, drawn when it is first asked for and the same ever after, also in a folder that was copied. */
export const storeIdentity = async (store: Store): Promise<string> => {
  const drawn = randomBytes(6).readUIntBE(0, 6);
  const value = await store.tx(async (sql) => {
    await sql.run("insert into meta (name, value) values ('identity', ?) on conflict (name) do nothing", [drawn]);
    return Number((await sql.all("select value from meta where name = 'identity'"))[0]?.value);
  });
  return value.toString(16).padStart(12, '0');
};
