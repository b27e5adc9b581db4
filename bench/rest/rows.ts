/** Rows of a caller's session as SQL sees them: what no list of the document shows, and what a round trip is held against. */
import type { Fake } from '../../src/fake/fake.js';
import type { Caller } from '../../src/serve/face/callers.js';

export type Row = Record<string, unknown>;

/** Only while the session is in memory, which a benchmark's are. */
export const queryOf = (fake: Fake, { live }: Caller, sql: string, params: unknown[] = []): Row[] => {
  const { place } = live;
  if (place.at !== 'active') throw new Error(`the session is ${place.at}`);
  const loaded = place.session.world.services.get(fake.service);
  if (!loaded) throw new Error(`no service ${fake.service}`);
  loaded.connection.bind(place.session.state(fake.service));
  return loaded.connection.prepare(sql).all(params as never) as Row[];
};
