/** Runs a written reference once: what it calls, where each argument comes from, and what each call showed. */
import type { Call, Source } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { WorldTool } from '../../world/loaded.js';
import { type ArgSpec, argColumn, argSpecs, decodeArg } from '../../world/surface/args.js';
import type { Ground } from '../ground/ground.js';
import { pathTo } from '../ground/plan.js';
import type { HandTask } from './form.js';
import { nearest } from './near.js';
import type { Page, Path } from './page.js';
import { type SpokenValue, spokenIn } from './spoken.js';

export interface HandRun {
  session: Session;
  calls: Call[];
  sources: Source[];
  /** What each call showed. */
  observations: Json[];
  /** Keys of rows that calls were given and that the service made up itself: nobody says those. */
  ids: { value: string; call: number }[];
}

const REFERENCE = /^\$\{(\d+)\.([^}]+)\}$/;
/** Arguments that steer a look-up and say nothing of what is looked for. */
const STEERING: ReadonlySet<string> = new Set(['limit', 'offset', 'page', 'cursor', 'sort']);

/** `data.[title=Summer menu].id` in parts; a part in brackets picks the first item of a list whose field has this text. */
const partsOf = (path: string): string[] => path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];

const indexOf = (items: readonly Json[], part: string): number => {
  const [, field, wanted] = /^\[([^=]+)=(.*)\]$/.exec(part) ?? [];
  if (field === undefined) return Number(part);
  return items.findIndex(
    (item) => item !== null && typeof item === 'object' && !Array.isArray(item) && String(item[field]) === wanted,
  );
};

/** The value at a path, and the path with positions in place of what picked an item. */
const lookAt = (value: Json | undefined, path: string): { seen: Json | undefined; path: string } => {
  const plain: string[] = [];
  let seen = value;
  for (const part of partsOf(path)) {
    const key = Array.isArray(seen) ? String(indexOf(seen, part)) : part;
    plain.push(key);
    if (Array.isArray(seen)) seen = seen[Number(key)];
    else seen = seen !== null && typeof seen === 'object' && Object.hasOwn(seen, key) ? seen[key] : undefined;
  }
  return { seen, path: plain.join('.') };
};

interface Making {
  page: Page;
  brief: string;
  found: WorldTool;
  call: number;
  because: Readonly<Record<string, string>>;
  observations: readonly Json[];
  sources: Source[];
  ids: HandRun['ids'];
  /** What comes from nowhere is claimed to be in the brief, and the gate says that it is not. */
  isLenient: boolean;
}

const isId = ({ service, tool }: WorldTool, { arg, name }: ArgSpec): boolean => {
  const table = arg.role === 'key' ? tool.tool.table : (arg.ref ?? argColumn(service.spec, tool.tool, name)?.fk);
  return table !== undefined && service.spec.tables[table]?.key.gen !== undefined;
};

const stored = ({ service, tool }: WorldTool, spec: ArgSpec | undefined, written: Json) => {
  try {
    const value = spec ? decodeArg(service.spec, tool.tool, spec.name, written) : undefined;
    return Array.isArray(value) ? undefined : value;
  } catch {
    return undefined;
  }
};

/** Where one written value comes from; undefined where it comes from nowhere. */
const originOf = (
  { brief, found, because, observations }: Making,
  dotted: string,
  value: Json,
  spec: ArgSpec | undefined,
): Source['from'] | undefined => {
  const reason = because[dotted];
  if (reason !== undefined) return { constant: reason };
  if (spec && STEERING.has(spec.arg.role)) return { constant: 'how the look-up is steered' };
  const own = (arg: ArgSpec['arg']): SpokenValue['column'] => ({
    type: arg.type === 'list' ? (arg.items ?? 'text') : arg.type,
    ...(arg.enum ? { enum: arg.enum } : {}),
  });
  const column = spec ? (argColumn(found.service.spec, found.tool.tool, spec.name) ?? own(spec.arg)) : undefined;
  const currency = found.service.spec.surface.currency ?? 'USD';
  const words = spokenIn(brief, { written: value, stored: stored(found, spec, value), column, currency });
  if (words !== undefined) return { brief: words };
  for (let observed = observations.length - 1; observed >= 0; observed--) {
    const path = pathTo(observations[observed] as Json, value);
    if (path !== undefined) return { observed, path };
  }
  return undefined;
};

/** Notes where a written value comes from; throws where it comes from nowhere. */
const trace = (making: Making, path: Path, dotted: string, value: Json, spec: ArgSpec | undefined): void => {
  const { page, found, call, sources, ids } = making;
  if (spec && isId(found, spec)) ids.push({ value: String(value), call });
  const from = originOf(making, dotted, value, spec) ?? (making.isLenient ? { brief: String(value) } : undefined);
  if (from === undefined)
    throw page.refusal(
      path,
      `${dotted} of call ${call + 1} comes neither from the brief nor from an earlier result`,
      value,
      `Say it in the brief, look it up first, or give the reason: because: {${dotted}: ...}.`,
    );
  // Of a list, the first item stands for all.
  const isNoted = sources.some((source) => source.call === call && source.arg === dotted);
  if (!isNoted) sources.push({ call, arg: dotted, from });
};

/** Puts what earlier calls showed in place of `${n.path}`, and traces everything else. */
const resolve = (making: Making, path: Path, dotted: string, value: Json, specs: readonly ArgSpec[]): Json => {
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        resolve(making, [...path, key], dotted ? `${dotted}.${key}` : key, inner as Json, specs),
      ]),
    );
  if (Array.isArray(value)) return value.map((item, i) => resolve(making, [...path, i], dotted, item as Json, specs));
  const spec = specs.find((one) => one.path.join('.') === dotted);
  const [, number, where = ''] = typeof value === 'string' ? (REFERENCE.exec(value) ?? []) : [];
  if (number === undefined) {
    if (value !== null) trace(making, path, dotted, value, spec);
    return value;
  }
  const { page, call, observations, sources, found, ids } = making;
  const observed = Number(number) - 1;
  if (observed < 0 || observed >= call)
    throw page.refusal(path, `call ${call + 1} can only use calls before it`, value, 'Calls are numbered from 1.');
  const { seen, path: plain } = lookAt(observations[observed], where);
  if (seen === undefined || seen === null || typeof seen === 'object')
    throw page.refusal(
      path,
      `call ${number} shows no value at ${where}`,
      JSON.stringify(observations[observed]).slice(0, 150),
      'Dotted names, positions and [field=text] lead to a value of its result.',
    );
  if (spec && isId(found, spec)) ids.push({ value: String(seen), call });
  sources.push({ call, arg: dotted, from: { observed, path: plain } });
  return seen;
};

/**
 * Plays the calls on a fresh session, which stays open. Throws `bad_task` with the line of the call or argument at fault; with
 * `isLenient` not for an argument of unknown origin.
 */
export const runByHand = (ground: Ground, page: Page, { brief, reference }: HandTask, isLenient = false): HandRun => {
  const { world } = ground;
  const session = ground.fresh();
  const observations: Json[] = [];
  const run: HandRun = { session, calls: [], sources: [], observations, ids: [] };
  try {
    for (const [call, { tool, args, because }] of reference.calls.entries()) {
      const path = ['reference', 'calls', call];
      const found = world.tools.get(tool);
      if (!found) {
        const next = `Nearest: ${nearest(tool, [...world.tools.keys()])}.`;
        throw page.refusal([...path, 'tool'], 'the world has no tool of that name', tool, next);
      }
      const specs = [...argSpecs(found.service.spec, found.tool.tool).values()];
      const { sources, ids } = run;
      const making: Making = { page, brief, found, call, because, observations, sources, ids, isLenient };
      const written = resolve(making, [...path, 'args'], '', args as Json, specs) as Record<string, Json>;
      const { ok, result } = session.call(tool, structuredClone(written));
      if (!ok) {
        const next = 'The reference must succeed call by call.';
        throw page.refusal(path, `call ${call + 1} (${tool}) fails`, JSON.stringify(result), next);
      }
      run.calls.push({ service: found.service.id, tool, args: written });
      observations.push(result);
    }
  } catch (thrown) {
    session.drop();
    throw thrown;
  }
  return run;
};
