/** What a reference does, in words: the request, the calls with what they showed, what changed in the end, the reply. No checks. */
import type { Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService } from '../../world/loaded.js';
import type { RowChange } from '../../world/state/types.js';
import type { Ground } from '../ground/ground.js';
import { groundFor } from '../ground/grounded.js';
import { currencyOf, sayLabel, sayValue } from '../ground/say.js';
import { clipped, cut } from './marked.js';

/** Characters that all results of one task may take, and the least that each gets. */
const RESULTS = 24_000;
const LEAST_RESULT = 160;
const MOST_RESULT = 900;
const MOST_CHANGES = 80;
const ITEMS = 4;
/** Columns that services keep for themselves. */
const OWN = /^(_|updated|version$|created_at$)/;

const changeLine = (service: LoadedService, { table, key, change, before, after, cols }: RowChange): string => {
  const spec = service.spec.tables[table];
  const row = after ?? before ?? {};
  const say = (col: string, from: typeof row | undefined): string => {
    const column = spec?.cols[col];
    const words = column && from ? sayValue(column, from[col], currencyOf(service.spec, spec, from)) : undefined;
    return words === undefined ? 'nothing' : cut(words, 200);
  };
  const label = spec ? sayLabel(spec, row) : undefined;
  const what = `${spec?.noun ?? table} ${label ?? key} (${service.id}.${table}, key ${key})`;
  const told = cols.filter((col) => !OWN.test(col) && !spec?.cols[col]?.hidden && col !== spec?.key.col);
  if (change === 'delete') return `- deleted: ${what}`;
  if (change === 'insert')
    return `- new: ${what}: ${told.flatMap((col) => (after?.[col] === null ? [] : [`${col} ${say(col, after)}`])).join(', ')}`;
  return `- changed: ${what}: ${told.map((col) => `${col} from ${say(col, before)} to ${say(col, after)}`).join(', ')}`;
};

const changesOf = (ground: Ground, session: Session): string[] => {
  const lines = Object.entries(session.diff()).flatMap(([id, changes]) => {
    const service = ground.world.services.get(id);
    return service ? changes.map((change) => changeLine(service, change)) : [];
  });
  const more = lines.length - MOST_CHANGES;
  return more > 0 ? [...lines.slice(0, MOST_CHANGES), `- and ${more} more`] : lines;
};

/** Plays the reference on a fresh session of the task's own initial state. Throws `bad_grounding`. */
export const accountOf = (base: Ground, task: Task): string => {
  const { ground, drop } = groundFor(base, task);
  const session = ground.fresh();
  try {
    const { calls, answer } = task.reference;
    const room = Math.min(MOST_RESULT, Math.max(LEAST_RESULT, Math.floor(RESULTS / calls.length)));
    const played = calls.map(({ tool, args }, n) => {
      const { ok, result } = session.call(tool, structuredClone(args));
      const shown = JSON.stringify(clipped(result as Json, ITEMS));
      return `${n + 1}. ${tool} ${cut(JSON.stringify(args), 500)} ${ok ? 'shows' : 'fails with'} ${cut(shown, room)}`;
    });
    const changed = changesOf(ground, session);
    const rules = ground.world.spec.invariants.map(({ says }) => `- ${says}`);
    return [
      `Request of ${task.actor.name} (${task.actor.title}): ${task.brief}`,
      ...(rules.length > 0 ? ['Rules of the company:', ...rules] : []),
      'Calls, in order (long results and lists are cut):',
      ...played,
      'What is different in the end:',
      ...(changed.length > 0 ? changed : ['- nothing']),
      `Reply at the end: ${answer}`,
    ].join('\n');
  } finally {
    session.drop();
    drop();
  }
};
