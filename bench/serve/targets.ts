/** The calls that part rate repeats: a get of a trade service, and an action of four statements that may be done again and again. */
import type { Tool } from '../../src/artifacts/tool.js';
import { argsOf, rowReader, WAYS } from '../../src/certify/search.js';
import type { Corpus } from '../../src/corpus/corpus.js';
import { rng } from '../../src/kit/rng.js';
import { actorOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { type LoadedWorld, loadWorld, unloadWorld, type WorldTool } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { Statement } from '../../src/world/state/statement.js';

export interface Target {
  world: string;
  service: string;
  tool: string;
  args: object;
  /** SQL statements of one call, BEGIN and COMMIT not counted. */
  statements: number;
  /** Bytes of the result's JSON. */
  bytes: number;
}

export interface Targets {
  get: Target;
  action: Target;
}

/** Statements that run during `work`; those that are made for it are counted too. */
const countStatements = (work: () => void): number => {
  let count = 0;
  const prototype = Statement.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const kept = (['run', 'get', 'all'] as const).map((name) => [name, prototype[name]] as const);
  for (const [name, own] of kept)
    prototype[name] = function (this: unknown, ...args: unknown[]) {
      count++;
      return own?.apply(this, args);
    };
  try {
    work();
  } finally {
    for (const [name, own] of kept) if (own) prototype[name] = own;
  }
  return count;
};

const TRIES = 24;
/** A call that is repeated must go on working: so often it is tried here. */
const REPEATS = 40;

const tryTool = (world: LoadedWorld, name: string, tool: WorldTool): Target | undefined => {
  const random = rng('rate', world.spec.id, name);
  const rows = rowReader(tool.service);
  const donors = rows(tool.tool.tool.table);
  for (let serial = 0; serial < TRIES && donors.length > 0; serial++) {
    const { source, withOptional } = WAYS[serial % WAYS.length] as (typeof WAYS)[number];
    const donor = random.pick(donors);
    const clock = world.spec.clock;
    const args = argsOf({ service: tool.service, tool, rows, donor, source, clock, random, serial }, withOptional);
    if (!args) continue;
    const session = Session.open(world, { id: 'rate', me: actorOf(world) });
    let isFine = true;
    let bytes = 0;
    const call = (): void => {
      const { ok, result } = session.call(name, structuredClone(args));
      isFine &&= ok;
      bytes = JSON.stringify(result).length;
    };
    call();
    const statements = countStatements(call);
    for (let n = 0; n < REPEATS && isFine; n++) call();
    session.drop();
    if (isFine) return { world: world.spec.id, service: tool.service.id, tool: name, args, statements, bytes };
  }
  return undefined;
};

const ACTION_STATEMENTS = 4;

const byBytes = (a: Target, b: Target): number => a.bytes - b.bytes || (a.tool < b.tool ? -1 : 1);

/**
 * Of middling size among all worlds of the corpus: a get, and an action of four statements (or, where none has four, of the number
 * nearest to it).
 */
export const findTargets = async (corpus: Corpus): Promise<Targets> => {
  const engine = await Engine.start();
  const gets: Target[] = [];
  const actions: Target[] = [];
  for (const id of corpus.worlds()) {
    const world = loadWorld(engine, corpus.readWorld(id));
    const found = (op: Tool['op'], writes: boolean): Target[] =>
      [...world.tools].flatMap(([name, known]) => {
        const { role } = known.service;
        const { tool } = known.tool;
        if (role !== 'domain' || tool.op !== op || tool.writes.length > 0 !== writes) return [];
        return tryTool(world, name, known) ?? [];
      });
    gets.push(...found('get', false));
    actions.push(...found('action', true));
    unloadWorld(world);
  }
  engine.close();
  const off = ({ statements }: Target): number => Math.abs(statements - ACTION_STATEMENTS);
  const least = Math.min(...actions.map(off));
  const fit = actions.filter((action) => off(action) === least).sort(byBytes);
  const get = gets.sort(byBytes)[gets.length >> 1];
  const action = fit[fit.length >> 1];
  if (!get || !action) throw new Error('the corpus has no get or no action that can be repeated');
  return { get, action };
};
