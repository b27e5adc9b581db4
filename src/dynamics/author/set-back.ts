/**
 * State events: a colleague moves the record by mistake to a status in which what was planned is refused. What they did is what a
 * tool of the service does; another tool puts it right (DynaWeave, "environment state").
 */
import type { PatchOp, Path } from '../../artifacts/scenario.js';
import type { Literal, Table } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { Session } from '../../serve/sessions/session.js';
import { type NamedTool, type PlannedArg, surfaceArgs } from '../../tasks/ground/plan.js';
import { keyArgOf, toolsOf } from '../../tasks/ground/reveal.js';
import { affectedChecks } from '../verifier/footprints.js';
import type { Candidate } from './accept.js';
import { eventOf } from './blank.js';
import type { Site } from './choices/sites.js';
import { type Slot, slotsOf } from './choices/slots.js';
import { happenings, told } from './happenings.js';
import { type Colleague, colleagues, departmentFor, introduced, somebody } from './people.js';
import { rowByKey } from './rows.js';
import { thingWords } from './thing-words.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';

const planned = (name: string, value: PlannedArg['value']): PlannedArg => ({ name, value, origin: { observed: true } });

/** A call of the move's tool on the row, with what it asks for besides; undefined where that is more than a reason or a person. */
const moving = (tool: NamedTool, { key }: Slot, by: Colleague | undefined, random: Rng): Call | undefined => {
  const keyArg = keyArgOf(tool);
  const args: PlannedArg[] = keyArg === undefined ? [] : [planned(keyArg, key)];
  for (const [name, arg] of Object.entries(tool.tool.tool.args)) {
    if (!arg.required || name === keyArg) continue;
    if (!by || arg.type !== 'text' || arg.enum || arg.ref) return undefined;
    args.push(
      planned(name, arg.format === 'email' || /email$/.test(name) ? by.email : random.pick(happenings().reasons)),
    );
  }
  if (keyArg === undefined) return undefined;
  return { service: tool.service.id, tool: tool.name, args: surfaceArgs(tool.service, tool, args) };
};

/** What a session's last call changed, as a patch of somebody outside. */
const patchOf = (before: Session, after: Session): PatchOp[] | undefined => {
  const ops = (after.ledger.at(-1)?.touched ?? []).map(({ service, table, key, change }): PatchOp | undefined => {
    const keyCol = after.world.services.get(service)?.keys[table];
    const [old, now] = [before, after].map((session) => rowByKey(session, service, table, key));
    if (keyCol === undefined || !now || change === 'delete') return undefined;
    const cols = Object.entries(now).filter(([col, value]) => !old || old[col] !== value) as [string, Literal][];
    if (change === 'insert') return { do: 'insert', service, table, set: Object.fromEntries(cols) };
    return { do: 'update', service, table, where: { [keyCol]: key }, set: Object.fromEntries(cols) };
  });
  const made = ops.filter((op) => op !== undefined);
  return made.length === ops.length && made.length > 0 ? made : undefined;
};

type Move = NonNullable<Table['machine']>['moves'][number];

type Here = Omit<Site, 'when'>;

interface SetBack {
  move: Move;
  patch: PatchOp[];
  /** Puts it right. */
  back: Call;
}

/** Moves of the row's machine after which the call is refused, and accepted again after another move. */
const setBacks = (
  { session, call, random }: Here,
  subject: Slot,
  spec: Table,
  people: readonly Colleague[],
): SetBack[] => {
  const { machine } = spec;
  const status = machine && subject.row[machine.col];
  if (!machine || typeof status !== 'string') return [];
  const tools = toolsOf(session.world, subject.service).filter(({ tool }) => tool.tool.table === subject.table);
  const toolOf = ({ verb }: Move): NamedTool | undefined =>
    tools.find(({ tool }) => tool.tool.id.split('.')[1] === verb);
  const by = somebody(people, [], random);
  return random
    .shuffle(machine.moves.filter(({ from, to }) => from.includes(status) && to !== status))
    .flatMap((move): SetBack[] => {
      const tool = toolOf(move);
      const away = tool && tool.name !== call.tool ? moving(tool, subject, by, random) : undefined;
      if (!away) return [];
      const moved = session.fork('moved');
      try {
        if (!moved.call(away.tool, structuredClone(away.args)).ok) return [];
        const patch = patchOf(session, moved);
        const refused = moved.fork('refused');
        const isRefused = !refused.call(call.tool, structuredClone(call.args)).ok;
        refused.drop();
        if (!patch || !isRefused) return [];
        for (const other of machine.moves.filter(({ from, to }) => from.includes(move.to) && to !== move.to)) {
          const undo = toolOf(other);
          const back = undo && moving(undo, subject, undefined, random);
          if (!back || back.tool === call.tool) continue;
          const again = moved.fork('again');
          const isRight =
            again.call(back.tool, structuredClone(back.args)).ok &&
            again.call(call.tool, structuredClone(call.args)).ok;
          again.drop();
          if (isRight) return [{ move, patch, back }];
        }
        return [];
      } finally {
        moved.drop();
      }
    });
};

/** Places that a patch writes: columns of the row, and rows that it brings. */
const writtenBy = (patch: readonly PatchOp[], { key }: Slot): Path[] =>
  patch.flatMap(({ do: what, service, table, where = {}, set = {} }): Path[] => {
    if (what === 'insert') return [{ service, table }];
    const own = Object.values(where)[0];
    return Object.keys(set).map((col) => ({
      service,
      table,
      key: typeof own === 'string' || typeof own === 'number' ? own : key,
      col,
    }));
  });

const candidatesAt = (site: Here): Candidate[] => {
  const { stage, session, call, n, random } = site;
  const { task } = stage;
  const tool = stage.world.tools.get(call.tool)?.tool.tool;
  const subject = tool?.op === 'action' ? slotsOf(session, call).find(({ isSubject }) => isSubject) : undefined;
  const spec = subject && stage.world.services.get(subject.service)?.spec.tables[subject.table];
  const thing = subject && spec && thingWords(spec, subject.row);
  const moment = momentBefore(task, n, random, n - 1);
  if (!subject || !spec || !thing || !moment) return [];
  const people = colleagues(session);
  const named = Object.values(subject.row).map(String);
  const who = somebody(
    people,
    [task.actor.email, ...named],
    random,
    departmentFor(people, subject.service, named, task.actor.email),
  );
  const [first] = who ? setBacks(site, subject, spec, people) : [];
  if (!who || !first) return [];
  const slots = { who: introduced(who), thing, status: wordsOf(first.move.to).join(' ') };
  const writes = writtenBy(first.patch, subject);
  const touched = new Set(affectedChecks(task.milestones, writes));
  const checks = task.milestones.flatMap((milestone) => milestone.checks).filter(({ id }) => touched.has(id));
  const event = eventOf({
    id: `set_back_${subject.table}_${n}`,
    source: 'state',
    when: moment.when,
    writes,
    effect: { patch: first.patch },
    notify: { to: 'environment', text: told(happenings().moved, slots, random) },
    // Once it is put right, what was asked for comes out as before.
    checks: { retire: [], replace: checks.map((check) => ({ id: check.id, by: { ...check } })), add: [] },
    reference: { insert: [first.back], from: n, drop: 0 },
  });
  return [{ event, answer: task.reference.answer }];
};

/** Whether a move away and a move back have tools at all: who plays up to every write to find out pays for it. */
const mayBeSetBack = ({ world }: Stage, call: Call): boolean => {
  const found = world.tools.get(call.tool);
  const machine = found?.service.spec.tables[found.tool.tool.table]?.machine;
  if (!found || !machine || found.tool.tool.op !== 'action') return false;
  const [table, verb] = found.tool.tool.id.split('.');
  const ids = new Set(toolsOf(world, found.service.id).map(({ tool }) => tool.tool.id));
  const own = machine.moves.find((move) => move.verb === verb);
  const known = machine.moves.filter((move) => move.verb !== verb && ids.has(`${table}.${move.verb}`));
  return known.some(
    (away) => (own === undefined || !own.from.includes(away.to)) && known.some((back) => back.from.includes(away.to)),
  );
};

/** Actions of one task that are got in the way of, at most. */
const MOST = 2;

export const setBack = (stage: Stage, random: Rng): Candidate[] => {
  const { calls } = stage.task.reference;
  const made: Candidate[] = [];
  const likely = calls.flatMap((call, n) => (n > 0 && mayBeSetBack(stage, call) ? [n] : []));
  for (const n of random.shuffle(likely).slice(0, 2 * MOST)) {
    if (made.length >= MOST) break;
    const session = played(stage, calls.slice(0, n));
    try {
      made.push(...candidatesAt({ stage, session, n, call: calls[n] as Call, random: random.stream(String(n)) }));
    } finally {
      session.drop();
    }
  }
  return made;
};
