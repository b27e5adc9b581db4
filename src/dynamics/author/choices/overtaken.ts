/**
 * State events: the record moves on before the write, so that what was asked for cannot be done so any more. Either another tool does
 * what is left to do (what would have been changed is exchanged, what would have been cancelled goes back), or it has to be said that
 * it is too late.
 */
import type { PatchOp, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Literal, Table } from '../../../artifacts/table.js';
import type { Call } from '../../../artifacts/task.js';
import type { Json } from '../../../kit/hash.js';
import type { Rng } from '../../../kit/rng.js';
import { wordsOf } from '../../../kit/words.js';
import type { LoadedService } from '../../../world/loaded.js';
import { argColumn } from '../../../world/surface/args.js';
import type { Candidate } from '../accept.js';
import { rowsWhere } from '../rows.js';
import type { Stage } from '../trial.js';
import { dependsOn } from './conditional.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withCall } from './sites.js';
import { argumentsOfTool, type Slot, slotsOf, tableOf, writesOf } from './slots.js';
import { subjectWords } from './withdrawn.js';

interface Passing {
  site: Site;
  subject: Slot;
  spec: Table;
  col: string;
  /** The status that it has by then. */
  now: string;
  what: string;
}

/** Columns that tell of a parcel on its way: a record that was shipped has one. */
const PARCEL = /^(fulfillments|shipments)$/;

const parcel = ({ site, subject, spec }: Passing): Record<string, Literal> => {
  const col = Object.keys(spec.cols).find((name) => PARCEL.test(name) && subject.row[name] === '[]');
  if (col === undefined) return {};
  const number = String(100_000_000_000 + site.random.stream('parcel').int(1, 899_999_999) * 1000 + 17);
  const items = childrenOf(site, subject).flatMap(({ rows, cols }) =>
    cols.item_id ? rows.map((row) => row.item_id) : [],
  );
  return { [col]: JSON.stringify([{ item_ids: items, tracking_id: [number] }]) };
};

const childrenOf = ({ session }: Site, { service, table, key }: Slot) => {
  const { spec } = session.world.services.get(service) as LoadedService;
  return Object.entries(spec.tables).flatMap(([child, { cols }]) => {
    const owner = Object.keys(cols).find((col) => cols[col]?.fk === table);
    return owner === undefined || child === table
      ? []
      : [{ cols, rows: rowsWhere(session, service, child, { [owner]: key }, 100) }];
  });
};

/** What the record itself says of a table: the rows of it that its children name. */
const namedIn = (passing: Passing, table: string): (string | number)[] =>
  childrenOf(passing.site, passing.subject).flatMap(({ cols, rows }) => {
    const col = Object.keys(cols).find((name) => cols[name]?.fk === table);
    return col === undefined ? [] : rows.flatMap((row) => (row[col] === null ? [] : [row[col] as string | number]));
  });

/** The arguments of another tool from those of the call, by name, and from what the record names. */
const argumentsFor = (passing: Passing, tool: string): Call['args'] | undefined => {
  const { call, session } = passing.site;
  const out: Record<string, Json> = {};
  const taken = new Set<string>();
  for (const spec of argumentsOfTool(session.world, tool)) {
    const own = call.args[spec.path.join('.')];
    const table = tableOf(session.world, tool, spec);
    const named = own === undefined && table !== undefined ? namedIn(passing, table) : [];
    // Two lists from one table would be one list twice: what is given back, and the same again.
    if (named.length > 0 && taken.has(table as string)) return undefined;
    if (named.length > 0) taken.add(table as string);
    const value = own ?? (spec.list ? (named.length > 0 ? named : undefined) : named[0]);
    if (value !== undefined) out[spec.path.join('.')] = value;
    else if (spec.arg.required) return undefined;
  }
  return out;
};

/** Whether the other tool takes all that was said: a reason apart, which goes with the first one. */
const saysAll = ({ site }: Passing, args: Call['args']): boolean => {
  const { call, session } = site;
  const found = session.world.tools.get(call.tool);
  return argumentsOfTool(session.world, call.tool).every((spec) => {
    const path = spec.path.join('.');
    const isTerm = found && (spec.arg.enum ?? argColumn(found.service.spec, found.tool.tool, spec.name)?.enum);
    return call.args[path] === undefined || isTerm || args[path] !== undefined;
  });
};

const patchOf = (passing: Passing): ScenarioEvent['effect'] => {
  const { subject, spec, col, now } = passing;
  const patch: PatchOp = {
    do: 'update',
    service: subject.service,
    table: subject.table,
    where: { [spec.key.col]: subject.key },
    set: { [col]: now, ...parcel(passing) },
  };
  return { patch: [patch] };
};

const idOf = ({ site, now }: Passing, how: string): string =>
  `${how}_${now.replaceAll(/[^a-z0-9]+/g, '_').slice(0, 24)}_${site.n}`;

/** Done by another tool, with what the call had. */
const otherwise = (passing: Passing): Candidate | undefined => {
  const { site, what, now, subject } = passing;
  const { world } = site.stage;
  const own = world.tools.get(site.call.tool);
  for (const [name, { tool, service }] of world.tools) {
    const isOther = name !== site.call.tool && service === own?.service && tool.tool.table === subject.table;
    const args = isOther && tool.tool.writes.length > 0 ? argumentsFor(passing, name) : undefined;
    if (!args || !saysAll(passing, args)) continue;
    const deed = wordsOf(tool.tool.id).at(-1) ?? '';
    const isAllOfIt = Object.keys(args).some((arg) => site.call.args[arg] === undefined);
    const candidate = eventByRun(site.stage, {
      id: idOf(passing, deed),
      source: 'state',
      when: site.when,
      effect: patchOf(passing),
      notify: {
        to: 'user',
        text: isAllOfIt
          ? `I just got word that ${what} is ${now} already. Then let us make it a ${deed} of everything in it, with the money back to where I paid from.`
          : `I just got word that ${what} is ${now} already. I still want the same, so please do it as ${/^[aeiou]/.test(deed) ? 'an' : 'a'} ${deed} then.`,
      },
      calls: withCall(site, { service: site.call.service, tool: name, args }),
    });
    if (candidate) return candidate;
  }
  return undefined;
};

const IMPOSSIBLE =
  /can ?not|can't|not (be )?(possible|able|allowed?|available)|impossible|doesn't|does not|already|shipped|processed|delivered|arriv/i;

/** Too late: nothing is done to it, and that is what has to be said. */
const tooLate = (passing: Passing): Candidate | undefined => {
  const { site, what, now, subject } = passing;
  const { stage, n, random } = site;
  const { calls, answer } = stage.task.reference;
  const isOnly = calls.every(
    (call, at) =>
      at === n || slotsOf(site.session, call).every((slot) => !slot.isSubject || slot.key !== subject.key || at < n),
  );
  const old = stage.task.answer;
  if (dependsOn(stage, IMPOSSIBLE) || !isOnly || (old && old.kind !== 'text')) return undefined;
  const facts = old ? [old.expected].flat().map(String) : [];
  const isOnlyWrite = writesOf(site.session.world, calls).length === 1;
  const said = `${what.charAt(0).toUpperCase()}${what.slice(1)} is ${now} already, so that this cannot be done any more.`;
  const isSilent = random.stream('silent').chance(0.5);
  const shows = calls
    .slice(0, n)
    .flatMap(({ tool, args }) => (Object.values(args).includes(subject.key) ? [tool] : []));
  return eventByRun(stage, {
    id: idOf(passing, 'late'),
    source: 'state',
    when: site.when,
    effect: patchOf(passing),
    notify: isSilent
      ? { to: 'none', discoverBy: [...new Set([...shows, site.call.tool])] }
      : { to: 'environment', text: `The status of ${what} has just changed.` },
    calls: calls.filter((_, at) => at !== n),
    answer: old ? `${answer} ${said}` : isOnlyWrite ? said : `The rest is done. ${said}`,
    asks: {
      kind: 'text',
      asks: `${old ? `${old.asks} ` : ''}That ${what} is ${now}.`,
      expected: [...facts, now],
      distractors: old?.distractors ?? [],
    },
  });
};

/** Whether a record of that status has nothing filled that this one lacks: the status alone would be half a change. */
const isWhole = ({ site, subject, spec, col, now }: Passing): boolean => {
  const [other] = rowsWhere(site.session, subject.service, subject.table, { [col]: now }, 1);
  return (
    other !== undefined &&
    Object.keys(spec.cols).every((name) => other[name] === null || subject.row[name] !== null || PARCEL.test(name))
  );
};

/** Later statuses that other records have, under which the call is refused. */
const passingsOf = (site: Site): Passing[] => {
  const { session, stage, call } = site;
  const subject = slotsOf(session, call).find(({ isSubject }) => isSubject);
  const what = subjectWords(site);
  const spec = subject && session.world.services.get(subject.service)?.spec.tables[subject.table];
  if (!subject || !spec || what === undefined) return [];
  return Object.entries(spec.cols).flatMap(([col, { enum: choices }]) => {
    const old = subject.row[col];
    if (!/(^|_)(status|state)$/.test(col) || !choices || typeof old !== 'string') return [];
    return choices.flatMap((now): Passing[] => {
      const passing = { site, subject, spec, col, now, what };
      // Who cancels also pays back: a status alone does not say so.
      const isLater = choices.indexOf(now) > choices.indexOf(old) && !/cancel/.test(now) && !now.startsWith(old);
      if (!isLater || !isWhole(passing)) return [];
      const effect = patchOf(passing);
      const { calls } = stage.task.reference;
      const draft = { id: 'draft', source: 'state', when: site.when, effect, notify: { to: 'none' }, calls } as const;
      return eventByRun(stage, draft) === undefined ? [passing] : [];
    });
  });
};

export const overtaken = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(stage, random, (site) => {
    const passings = site.random.stream('passings').shuffle(passingsOf(site));
    const tried = passings.map((passing) => ({ passing, other: otherwise(passing) }));
    const [other] = tried.flatMap((one) => one.other ?? []);
    // It is too late only where nothing else would do.
    const [late] = tried.flatMap((one) => (one.other ? [] : (tooLate(one.passing) ?? [])));
    return [...(other ? [other] : []), ...(late ? [late] : [])];
  });
