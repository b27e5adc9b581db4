/** From what a model wrote to a candidate of the ten rules, or why it is none. What becomes of checks and answer follows by running. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Column } from '../../artifacts/table.js';
import type { Call, Task } from '../../artifacts/task.js';
import { asTreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { nearest } from '../../tasks/by-hand/near.js';
import type { Ground } from '../../tasks/ground/ground.js';
import { keyOf } from '../../tasks/ground/plan.js';
import { currencyOf, sayValue } from '../../tasks/ground/say.js';
import { decodeValue, encodeValue } from '../../world/surface/values.js';
import type { Candidate } from '../author/accept.js';
import { eventOf } from '../author/blank.js';
import { type Change, eventByRun } from '../author/choices/rerun.js';
import { type Stage, tryOut } from '../author/trial.js';
import type { WrittenEvent } from './form.js';
import { openColumns, type Reached } from './reach.js';
import { isShown, saidKey, unclearRow, unknownValue } from './told.js';

export interface Site {
  stage: Stage;
  ground: Ground;
  rows: readonly Reached[];
}

/** What makes an event of a model's no candidate at all: nothing that a rule could be asked about. */
export class Unfit extends Error {}

const unfit = (why: string): never => {
  throw new Unfit(why);
};

const whenOf = ({ reference: { calls } }: Task, after: number): ScenarioEvent['when'] => {
  if (after < 1 || after > calls.length)
    unfit(`there is no call ${after} for it to come after; there are ${calls.length}`);
  const tool = calls[after - 1]?.tool as string;
  return { after: { tool, nth: calls.slice(0, after).filter((call) => call.tool === tool).length } };
};

/** Labels among arguments become the rows' ids, as agents write them. */
const withKeys = (value: Json, rows: readonly Reached[]): Json => {
  if (typeof value === 'string') {
    if (!/^R\d+$/.test(value)) return value;
    const found = rows.find(({ label }) => label === value);
    return found ? keyOf(found.service, found.spec, found.row) : unfit(`there is no row ${value}`);
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withKeys(item, rows));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withKeys(inner as Json, rows)]));
};

interface Edit {
  from: number;
  drop: number;
  insert: Call[];
}

const editOf = ({ stage, rows }: Site, written: WrittenEvent): Edit => {
  const { calls } = stage.task.reference;
  const insert = (written.insert ?? []).map(({ tool, args }): Call => {
    const found = stage.world.tools.get(tool);
    const own = [...stage.world.tools].filter(([, one]) => stage.task.services.includes(one.service.id));
    if (!found || !own.some(([name]) => name === tool))
      return unfit(
        `${tool.slice(0, 80)} is no tool. Nearest: ${nearest(
          tool.slice(0, 80),
          own.map(([name]) => name),
        )}`,
      );
    return { service: found.service.id, tool, args: withKeys(args, rows) as Call['args'] };
  });
  const drop = written.drop ?? 0;
  const from = written.from ?? calls.length + 1;
  if (from < 1 || from > calls.length + 1 || from - 1 + drop > calls.length)
    unfit(`the calls from ${from} on, ${drop} of them, are not among the ${calls.length} that there are`);
  return { from: from - 1, drop, insert };
};

const patchOf = (
  { rows }: Site,
  { row: label, col, value }: WrittenEvent,
): { at: Reached; col: string; stored: number | string | null } => {
  const at =
    rows.find((one) => one.label === label) ??
    unfit(`there is no row ${label ?? ''}; they are ${rows.map((one) => one.label).join(', ')}`);
  const open = openColumns(at);
  const [, column] =
    open.find(([name]) => name === col) ??
    unfit(`${at.label} has no column ${col ?? ''}; it has ${open.map(([name]) => name).join(', ')}`);
  try {
    const stored = decodeValue(at.service.spec, column, value ?? null);
    if (stored === at.row[col as string]) unfit(`${col} of ${at.label} is that already`);
    return { at, col: col as string, stored };
  } catch (thrown) {
    if (thrown instanceof Unfit) throw thrown;
    return unfit(
      `${col} takes no ${JSON.stringify(value ?? null).slice(0, 80)}: ${asTreadleError(thrown, 'agent').message}`,
    );
  }
};

/** The right answer is the changed value, where it was the old one: told by the code, never by the model. */
const answerAfter = (
  { stage }: Site,
  { at, col, stored }: ReturnType<typeof patchOf>,
): Pick<Change, 'asks' | 'answer'> => {
  const { answer } = stage.task;
  const column = at.spec.cols[col];
  if (!answer || !column || stored === null || answer.expected !== at.row[col]) return {};
  // Two columns of one value: which is meant cannot be told.
  if (Object.values(at.row).filter((value) => value === answer.expected).length > 1) return {};
  const said = sayValue(column, stored, currencyOf(at.service.spec, at.spec, at.row));
  if (said === undefined) return {};
  const distractors = [...answer.distractors.filter((one) => one !== stored), answer.expected as string | number];
  return { answer: said, asks: { ...answer, expected: stored, distractors } };
};

const changeOf = (site: Site, written: WrittenEvent, id: string, calls: readonly Call[]): Change => {
  const { task } = site.stage;
  const { source } = written;
  const say = written.say?.trim() ?? '';
  const when = whenOf(task, written.after);
  if (source === 'requirement') {
    if (say === '') unfit('nobody says what is wanted now');
    return { id, source, when, effect: { say }, notify: { to: 'user', text: say }, calls };
  }
  const patch = patchOf(site, written);
  const { at, col, stored } = patch;
  const to = written.to ?? 'none';
  if (to !== 'none' && say === '') unfit(`the ${to} is told, and "say" is empty`);
  const reads = calls
    .slice(written.after)
    .filter(({ tool }) => site.stage.world.tools.get(tool)?.tool.tool.writes.length === 0);
  const discoverBy = [...new Set(reads.map(({ tool }) => tool))];
  return {
    id,
    source: 'state',
    when,
    effect: {
      patch: [
        {
          do: 'update',
          service: at.service.id,
          table: at.table,
          where: { [at.spec.key.col]: at.key },
          set: { [col]: stored },
        },
      ],
    },
    notify: { to, ...(to === 'none' ? {} : { text: say }), ...(discoverBy.length > 0 ? { discoverBy } : {}) },
    calls,
    ...answerAfter(site, patch),
  };
};

const faultOf = ({ stage }: Site, written: WrittenEvent, id: string): Candidate => {
  const { calls, answer } = stage.task.reference;
  const tool = written.tool ?? '';
  const times = Math.max(1, Math.min(3, written.times ?? 1));
  const at = calls.findIndex((call, n) => call.tool === tool && n >= written.after);
  const call = calls[at] ?? unfit(`no call after call ${written.after} is of ${tool.slice(0, 80)}`);
  const event = eventOf({
    id,
    source: 'fault',
    when: whenOf(stage.task, written.after),
    effect: { fault: { profile: 'P1', tool, times } },
    notify: { to: 'none', discoverBy: [tool] },
    reference: { insert: Array.from({ length: times }, () => call), from: at, drop: 0 },
  });
  return { event, answer };
};

/** Why running it gave no event: a call that fails, an event that does not come, checks that cannot be told. */
const whyNot = ({ stage }: Site, { id, source, when, effect, notify, calls }: Change, edit: Edit): string => {
  const event = eventOf({ id, source, when, effect, notify, reference: edit });
  const { engine, session } = tryOut(stage, { events: [event], seed: 'draft' }, { calls, answer: '' });
  try {
    const failed = session.ledger.find(({ ok }) => !ok);
    if (failed)
      return `call ${failed.index + 1}, ${failed.tool}, fails then: ${JSON.stringify(failed.result).slice(0, 300)}`;
    const [fate] = engine.log;
    if (fate?.fate !== 'fired') return `it never comes: ${fate?.reason ?? 'its call is not made'}`;
    return 'what becomes of the answer or of the checks cannot be told by running it';
  } finally {
    session.drop();
  }
};

interface Run {
  edit: Edit;
  calls: readonly Call[];
}

/** The value that an event writes, as results show it; undefined for one that writes none. */
const writtenValue = (site: Site, written: WrittenEvent): Json | undefined => {
  if (written.source !== 'state') return undefined;
  const { at, col, stored } = patchOf(site, written);
  return encodeValue(at.service.spec, at.spec.cols[col] as Column, stored, at.row);
};

/** What an agent would have to know and cannot, or is told and must not be; undefined where all is well. */
const unknownIn = (
  site: Site,
  event: ScenarioEvent,
  written: WrittenEvent,
  { edit, calls }: Run,
): string | undefined => {
  const { stage, ground, rows } = site;
  const text = event.notify.text ?? '';
  const key = saidKey(rows, text);
  if (key !== undefined) return `leaks: ${key}`;
  const { session } = tryOut(stage, { events: [event], seed: 'draft' }, { calls, answer: '' });
  try {
    const words = `${stage.task.brief}\n${text}`;
    const made = { ledger: session.ledger, ...edit, old: stage.task.reference.calls };
    const value = writtenValue(site, written);
    const mustShow = event.notify.to === 'none' || event.checks.answer !== undefined;
    if (value !== undefined && mustShow && !isShown(session.ledger.slice(written.after), value))
      return 'no call after it shows what it changed';
    return unknownValue(stage.world, made, words) ?? unclearRow(ground, rows, made, words);
  } finally {
    session.drop();
  }
};

/** Throws `Unfit` with what is wrong, in words for the model. */
export const candidateFrom = (site: Site, written: WrittenEvent, id: string): Candidate => {
  const { stage } = site;
  if (written.source === 'fault') return faultOf(site, written, id);
  const edit = editOf(site, written);
  const old = stage.task.reference.calls;
  const calls = [...old.slice(0, edit.from), ...edit.insert, ...old.slice(edit.from + edit.drop)];
  const change = changeOf(site, written, id, calls);
  const candidate = eventByRun(stage, change) ?? unfit(whyNot(site, change, edit));
  const unknown = unknownIn(site, candidate.event, written, { edit, calls });
  return unknown === undefined ? candidate : unfit(unknown);
};
