/** Finds calls that work on a session as it stands, as an agent would: on rows it has seen, with values the data holds. */
import type { Tool } from '../../src/artifacts/tool.js';
import { type CallArgs, placed, valueAt } from '../../src/certify/arguments.js';
import { argsOf, rowReader, WAYS } from '../../src/certify/search.js';
import type { Json } from '../../src/kit/hash.js';
import type { Rng } from '../../src/kit/rng.js';
import type { Session } from '../../src/serve/sessions/session.js';
import type { LoadedWorld, WorldTool } from '../../src/world/loaded.js';
import type { Row } from '../../src/world/state/types.js';
import { argPath } from '../../src/world/surface/args.js';
import { subjectArg } from '../../src/world/surface/subject.js';

export interface Candidate {
  tool: string;
  args: CallArgs;
}

interface Known {
  name: string;
  world: WorldTool;
}

export interface Explorer {
  /** A list, search or get of one of the services; undefined when chance found none. */
  read(session: Session, services: readonly string[], seen: ReadonlySet<string>): Candidate | undefined;
  /** A call that changes something. */
  write(session: Session, services: readonly string[]): Candidate | undefined;
  /** A call that the tool refuses: `read`'s with one thing wrong. */
  refused(session: Session, services: readonly string[], seen: ReadonlySet<string>): Candidate | undefined;
}

const TRIES = 12;
const LISTS = new Set<Tool['op']>(['list', 'search']);

/** Every text and number in a result, as text. */
export const scalarsOf = (value: Json, into: Set<string>): void => {
  if (typeof value === 'string' || typeof value === 'number') into.add(String(value));
  else if (value !== null && typeof value === 'object') for (const item of Object.values(value)) scalarsOf(item, into);
};

/** Whether it works there; the session stays as it is. */
const works = (session: Session, { tool, args }: Candidate, mustChange: boolean): boolean => {
  const trial = session.fork('trial');
  const { ok, entry } = trial.call(tool, structuredClone(args));
  trial.drop();
  return ok && (!mustChange || entry.touched.length > 0);
};

export const explorerOf = (world: LoadedWorld, random: Rng): Explorer => {
  const rows = new Map([...world.services.values()].map((service) => [service.id, rowReader(service)] as const));
  const tools: Known[] = [...world.tools].map(([name, tool]) => ({ name, world: tool }));
  const among = (services: readonly string[], fits: (tool: Tool) => boolean): Known[] =>
    tools.filter(({ world: { service, tool } }) => services.includes(service.id) && fits(tool.tool));
  let serial = 0;

  const argsOn = ({ world: tool }: Known, donor: Row | undefined, way: (typeof WAYS)[number]): CallArgs | undefined => {
    const own = rows.get(tool.service.id) as ReturnType<typeof rowReader>;
    const { clock } = world.spec;
    const search = { service: tool.service, tool, rows: own, donor, source: way.source, clock, random };
    return argsOf({ ...search, serial: serial++ }, way.withOptional);
  };
  const donorFor = ({ world: { service, tool } }: Known): Row | undefined => {
    const list = rows.get(service.id)?.(tool.tool.table) ?? [];
    return list.length === 0 ? undefined : random.pick(list);
  };
  /** The surface's form of the row's key in the arguments, where the tool has one. */
  const subjectIn = ({ world: { service, tool } }: Known, args: CallArgs): Json | undefined => {
    const name = subjectArg(tool.tool);
    const arg = name === undefined ? undefined : tool.tool.args[name];
    return name === undefined || arg === undefined ? undefined : valueAt(args, argPath(service.spec, name, arg));
  };

  const list = (session: Session, services: readonly string[]): Candidate | undefined => {
    const readers = among(services, ({ op, writes }) => LISTS.has(op) && writes.length === 0);
    for (let n = 0; n < TRIES && readers.length > 0; n++) {
      const known = random.pick(readers);
      const way = { source: 'own' as const, withOptional: random.chance(0.5) };
      const args = argsOn(known, donorFor(known), way);
      const call = args && { tool: known.name, args };
      if (call && works(session, call, false)) return call;
    }
    return undefined;
  };

  /** Rows by the surface's form of their key, per tool. */
  const byShownKey = new Map<string, Map<string, Row>>();
  const shownKeys = (known: Known): Map<string, Row> => {
    const made = byShownKey.get(known.name) ?? new Map<string, Row>();
    if (byShownKey.has(known.name)) return made;
    byShownKey.set(known.name, made);
    const { service, tool } = known.world;
    for (const donor of rows.get(service.id)?.(tool.tool.table) ?? []) {
      const args = argsOn(known, donor, { source: 'own', withOptional: false });
      const subject = args && subjectIn(known, args);
      if (subject !== undefined) made.set(String(subject), donor);
    }
    return made;
  };

  /** Of a row whose key was seen in an earlier result. */
  const get = (session: Session, services: readonly string[], seen: ReadonlySet<string>): Candidate | undefined => {
    const getters = among(services, ({ op, writes }) => op === 'get' && writes.length === 0);
    for (const known of random.shuffle(getters)) {
      const donors = shownKeys(known);
      const met = [...seen].filter((text) => donors.has(text));
      if (met.length === 0) continue;
      const args = argsOn(known, donors.get(random.pick(met)), { source: 'own', withOptional: false });
      const call = args && { tool: known.name, args };
      if (call && works(session, call, false)) return call;
    }
    return undefined;
  };

  const read: Explorer['read'] = (session, services, seen) =>
    (random.chance(0.5) ? get(session, services, seen) : undefined) ?? list(session, services);

  return {
    read,
    write: (session, services) => {
      const writers = among(services, ({ writes, op }) => writes.length > 0 && op !== 'delete');
      for (let n = 0; n < TRIES * 4 && writers.length > 0; n++) {
        const known = random.pick(writers);
        const args = argsOn(known, donorFor(known), random.pick(WAYS));
        const call = args && { tool: known.name, args };
        if (call && works(session, call, true)) return call;
      }
      return undefined;
    },
    refused: (session, services, seen) => {
      const good = read(session, services, seen);
      const known = good && tools.find(({ name }) => name === good.tool);
      if (!good || !known) return undefined;
      const { service, tool } = known.world;
      const name = subjectArg(tool.tool);
      const arg = name === undefined ? undefined : tool.tool.args[name];
      const bad =
        name !== undefined && arg !== undefined && tool.tool.op === 'get'
          ? placed(good.args, argPath(service.spec, name, arg), arg.type === 'int' ? 987_654_321 : 'no-such-row-7q')
          : { ...good.args, no_such_argument_: 1 };
      return { tool: good.tool, args: bad };
    },
  };
};
