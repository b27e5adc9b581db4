/** State events: a colleague has entered in the meantime what was to be entered; a second one would be one too many. */
import type { Literal, Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { nounOf } from '../../tasks/words/names.js';
import { idOf } from '../../world/ids.js';
import type { Row } from '../../world/state/types.js';
import type { Candidate } from './accept.js';
import { eventByRun } from './choices/rerun.js';
import { atWrites, type Site } from './choices/sites.js';
import { writesOf } from './choices/slots.js';
import { happenings, told } from './happenings.js';
import { colleagues, departmentFor, introduced, somebody } from './people.js';
import { rowByKey, rowsWhere } from './rows.js';
import type { Stage } from './trial.js';
import { otherReaders } from './ways.js';
import { momentBefore } from './when.js';

/** Keys and numbers from here on are given by no session. */
const FAR = 3_000_000;
const FAR_NUMBER = 900;

/** The next running number that no session gives out. */
const farNumber = (session: Session, service: string, table: string, spec: Table, col: string): Literal => {
  const rows = rowsWhere(session, service, table, {}, 2_000);
  const most = Math.max(0, ...rows.map((row) => Number(/(\d+)$/.exec(String(row[col] ?? ''))?.[1] ?? 0)));
  const column = spec.cols[col];
  return column?.type === 'text' ? `${column.prefix ?? ''}${most + FAR_NUMBER}` : most + FAR_NUMBER;
};

/** The row as a colleague has it: with a key and a number of its own. */
const theirs = (
  session: Session,
  service: string,
  table: string,
  row: Row,
  by: string,
  random: Rng,
): Record<string, Literal> | undefined => {
  const loaded = session.world.services.get(service);
  const spec = loaded?.spec.tables[table];
  if (!spec?.key.gen) return undefined;
  const set: Record<string, Literal> = {};
  for (const [col, value] of Object.entries(row)) {
    if (value === null || value === undefined) continue;
    const { auto } = spec.cols[col] ?? {};
    if (col === spec.key.col)
      set[col] = idOf(spec.key.gen, `${session.world.spec.seed}/${service}/${table}`, FAR + random.int(0, 99_999));
    else if (auto === 'number') set[col] = farNumber(session, service, table, spec, col);
    else set[col] = auto === 'me' ? by : (value as Literal);
  }
  return set;
};

const candidatesAt = (site: Site): Candidate[] => {
  const { stage, session, call, n, random } = site;
  const { task, world } = stage;
  const loaded = world.services.get(call.service);
  const tool = world.tools.get(call.tool)?.tool.tool;
  const spec = tool && loaded?.spec.tables[tool.table];
  const moment = momentBefore(task, n, random, n - 1);
  // What a later call works on has to be the agent's own.
  const isUsed = task.reference.sources.some(({ from }) => 'observed' in from && from.observed === n);
  if (!spec || tool.op !== 'create' || !moment || isUsed) return [];
  const done = session.fork('done');
  try {
    done.call(call.tool, structuredClone(call.args));
    const [touch, ...more] = done.ledger.at(-1)?.touched ?? [];
    const row = touch && rowByKey(done, touch.service, touch.table, touch.key);
    const people = colleagues(session);
    const fits = departmentFor(people, call.service, [], task.actor.email);
    const who = somebody(people, [task.actor.email, ...Object.values(row ?? {}).map(String)], random, fits);
    const set = touch && row && who ? theirs(session, touch.service, touch.table, row, who.email, random) : undefined;
    if (touch?.change !== 'insert' || more.length > 0 || !who || !set) return [];
    const readers = otherReaders(session, touch.service, touch.table, '').map(({ name }) => name);
    const candidate = eventByRun(stage, {
      id: `made_${touch.table}_${n}`,
      source: 'state',
      when: moment.when,
      effect: { patch: [{ do: 'insert', service: touch.service, table: touch.table, set }] },
      notify: {
        to: 'environment',
        text: told(happenings().made, { who: introduced(who), noun: nounOf(spec) }, random),
        ...(readers.length > 0 ? { discoverBy: readers } : {}),
      },
      calls: task.reference.calls.filter((_, at) => at !== n),
    });
    return candidate ? [candidate] : [];
  } finally {
    done.drop();
  }
};

/** Where something else is to be done, too: else nothing would be left to do. */
export const madeAlready = (stage: Stage, random: Rng): Candidate[] =>
  stage.task.milestones.length === 1 && writesOf(stage.world, stage.task.reference.calls).length > 1
    ? atWrites(stage, random, candidatesAt)
    : [];
