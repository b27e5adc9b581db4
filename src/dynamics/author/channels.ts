/** Where a company writes to its people: the inbox and the channels, and a message put there from outside. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Literal } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { idOf } from '../../world/ids.js';
import { rowsWhere } from './rows.js';
import type { Stage } from './trial.js';

export interface Letter {
  from: string;
  subject: string;
  body: string;
  authoritative: boolean;
  /** Virtual time at which it is written. */
  at: number;
}

export interface Channel {
  service: string;
  table: string;
  form: 'inbox' | 'channel';
  /** As it is spoken of: `the inbox`, `#finance`. */
  where: string;
  /** Key of the channel that a post stands in. */
  key?: Literal;
}

/** Rooms in which nobody speaks of work. */
const IDLE = /random|life|social|lunch|fun|win|kudos|pets|water|-\d+$/i;

/** Keys from here on are given by no session. */
const FAR = 2_000_000;

/** The channels in which a message to somebody may come: their inbox, and the open channels of the company's chat. */
export const channelsOf = ({ world, task }: Stage, session: Session): Channel[] =>
  task.services.flatMap((id): Channel[] => {
    const loaded = world.services.get(id);
    if (loaded?.role !== 'core') return [];
    return Object.entries(loaded.spec.tables).flatMap(([table, { cols }]): Channel[] => {
      if (cols.from_email && cols.to_email && cols.body && cols.subject)
        return [{ service: id, table, form: 'inbox', where: 'the inbox' }];
      const rooms = cols.channel_id?.fk;
      if (!cols.author_email || !cols.body || !rooms) return [];
      const key = loaded.keys[rooms] as string;
      const open = rowsWhere(session, id, rooms, { is_archived: false }, 20);
      return open
        .filter(({ name }) => !IDLE.test(String(name)))
        .map((row) => ({
          service: id,
          table,
          form: 'channel',
          where: `#${String(row.name).replace(/^#/, '')}`,
          key: row[key] as Literal,
        }));
    });
  });

/** The message as a row; undefined where the table wants something of it that nobody knows. */
export const published = (
  { world, task }: Stage,
  { service, table, key }: Channel,
  { from, subject, body, authoritative, at }: Letter,
  random: Rng,
): { effect: ScenarioEvent['effect']; key: string | number } | undefined => {
  const spec = world.services.get(service)?.spec.tables[table];
  const gen = spec?.key.gen;
  if (!spec || !gen) return undefined;
  const id = idOf(gen, `${world.spec.seed}/${service}/${table}`, FAR + random.int(0, 999_999));
  const known: Record<string, Literal | undefined> = {
    [spec.key.col]: id,
    from_email: from,
    author_email: from,
    to_email: task.actor.email,
    subject,
    body,
    folder: 'inbox',
    is_read: false,
    channel_id: key,
  };
  const set: Record<string, Literal> = {};
  for (const [col, column] of Object.entries(spec.cols)) {
    const value = known[col] ?? (column.type === 'datetime' && column.required ? at : undefined);
    if (value !== undefined) set[col] = value;
    else if (column.required && column.default === undefined && column.type !== 'bool') return undefined;
    else if (column.required) set[col] = column.default ?? false;
  }
  return { effect: { publish: { service, table, set, authoritative } }, key: id };
};
