/** Valid arguments for a tool of a face: parents and references that are there, the rest drawn from the document's own schemas. */
import type { Binding, FaceArg } from '../../src/artifacts/face.js';
import type { Step } from '../../src/artifacts/step.js';
import type { Column } from '../../src/artifacts/table.js';
import type { Tool } from '../../src/artifacts/tool.js';
import type { Json } from '../../src/kit/hash.js';
import type { Rng } from '../../src/kit/rng.js';
import type { Session } from '../../src/serve/sessions/session.js';
import type { Row } from '../../src/world/state/types.js';
import { valueFor } from './generate.js';
import type { Opened } from './world.js';

export type Values = Record<string, Json>;

export const rowsIn = ({ live, spec }: Opened, session: Session, table: string, where: Row = {}): Row[] => {
  const service = live?.world.services.get(spec?.id ?? '');
  if (!service) return [];
  service.connection.bind(session.state(service.id));
  const names = Object.keys(where);
  const filter = names.map((name) => `"${name}" = ?`).join(' AND ');
  const sql = `SELECT * FROM "${table}"${filter ? ` WHERE ${filter}` : ''} LIMIT 200`;
  return service.connection.prepare(sql).all(names.map((name) => where[name] ?? null));
};

/** Argument that a step's value stands for: `$args.x`, or `$named_x.key`. */
const argOf = (value: unknown): string | undefined =>
  /^\$args\.(\w+)$/.exec(String(value))?.[1] ?? /^\$named_(\w+)\.key_named$/.exec(String(value))?.[1];

/** Keys of the rows that the steps look up, so that all of them are found; `row` is the one looked up last, where it is known. */
export const lookups = (opened: Opened, session: Session, tool: Tool, r: Rng, row?: Row): Values | undefined => {
  const out: Values = {};
  /** What later steps say of a row looked up before them. */
  const above: Record<string, Row> = {};
  const gets = (tool.steps ?? []).flatMap((step: Step) => ('get' in step ? [step.get] : []));
  for (const { table, where, as } of [...gets].reverse()) {
    if (!as.startsWith('above_') && as !== 'row') continue;
    const known: Row = { ...above[as] };
    for (const [col, value] of Object.entries(where)) {
      const arg = argOf(value);
      if (arg !== undefined && out[arg] !== undefined) known[col] = out[arg] as string;
    }
    const cols = Object.keys(where);
    const whole = rowsIn(opened, session, table, known).filter((one) => cols.every((col) => one[col] !== null));
    const found = row && as === 'row' ? row : whole.length > 0 ? r.pick(whole) : undefined;
    if (!found) return undefined;
    // What the call names beside the row is what the row hangs under.
    for (const [name, { role, col }] of as === 'row' ? Object.entries(tool.args) : [])
      if (role === 'input' && col !== undefined && (found[col] ?? null) !== null) out[name] ??= found[col] as Json;
    for (const [col, value] of Object.entries(where)) {
      const arg = argOf(value);
      const [, from, of] = /^\$(above_\d+)\.(\w+)$/.exec(String(value)) ?? [];
      if (arg !== undefined && out[arg] === undefined) out[arg] = found[col] as Json;
      if (from !== undefined && of !== undefined) above[from] = { ...above[from], [of]: found[col] ?? null };
    }
  }
  return out;
};

export const put = (into: Values, path: readonly string[], value: Json): void => {
  let at = into;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Values;
  }
  at[path.at(-1) as string] = value;
};

export const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Values)[key] : undefined),
    value,
  );

export interface Asked {
  args: Values;
  /** As a client would send it. */
  body: Json | undefined;
}

const argNamed = (tool: Tool, { to }: FaceArg): [string, Tool['args'][string]] =>
  Object.entries(tool.args).find(([name, arg]) => (arg.field ?? name) === to.join('.')) as [
    string,
    Tool['args'][string],
  ];

/** As a URL has it. */
const written = (value: Json, type: string): Json =>
  type === 'text' && typeof value === 'number'
    ? String(value)
    : type === 'int' && typeof value === 'string' && /^\d{1,15}$/.test(value)
      ? Number(value)
      : value;

/** Undefined where no row is there to name. `kept`: values by parameter, as `path id`. */
export const ask = (opened: Opened, session: Session, binding: Binding, r: Rng, row?: Row): Asked | undefined => {
  const tool = opened.spec?.tools[binding.tool] as Tool;
  const http = opened.operations.get(binding.operation);
  const found = lookups(opened, session, tool, r, row);
  if (!found || !http) return undefined;
  const media = http.body?.media.find(({ type }) => /json/i.test(type)) ?? http.body?.media[0];
  const body = media?.schema === undefined ? undefined : valueFor(media.schema, 'body', opened.schemas, r);
  const args: Values = {};
  for (const one of binding.args) {
    const [name, arg] = argNamed(tool, one);
    const known = found[name];
    if (known !== undefined) {
      put(args, one.to, written(known, arg.type));
      if (one.in === 'body' && one.at && body) put(body as Values, one.at, known);
      continue;
    }
    if (arg.ref !== undefined && arg.role !== 'key') {
      const target = opened.spec?.tables[arg.ref];
      const [some] = rowsIn(opened, session, arg.ref);
      const wanted = one.in === 'body' ? at(body, one.at ?? []) !== undefined : arg.required;
      const key = some && target ? (some[target.key.col] as Json) : undefined;
      if (key === undefined && one.in === 'body' && one.at && !arg.required) drop(body, one.at);
      if (!wanted || key === undefined) continue;
      put(args, one.to, key);
      if (one.in === 'body' && one.at) put(body as Values, one.at, key);
      continue;
    }
    if (one.in === 'body') {
      const listed = arg.col === undefined ? undefined : opened.spec?.tables[tool.table]?.cols[arg.col]?.enum;
      const given = at(body, one.at ?? []) as Json | undefined;
      // A caller who has read what the answers list gives one of that.
      const value =
        typeof given === 'string' && listed && !listed.includes(given)
          ? r.pick(listed)
          : bounded(given, opened.spec?.tables[tool.table]?.cols[arg.col ?? '']);
      if (value === undefined) continue;
      put(args, one.to, value);
      if (one.at && one.at.length > 0) put(body as Values, one.at, value);
      continue;
    }
    const param = http.params.find((each) => each.in === one.in && each.name === one.name);
    const writes = arg.role === 'set' || arg.role === 'key';
    if (!param || !(param.required || writes)) continue;
    const value = valueFor(param.schema, param.name, opened.schemas, r);
    if (value !== undefined) put(args, one.to, value);
  }
  agree(binding, args, body);
  return { args, body };
};

/** A body that says the key or a parent again says the same as the path. */
const agree = (binding: Binding, args: Values, body: Json | undefined): void => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  for (const one of binding.args) {
    if (one.in !== 'path' || one.name === undefined) continue;
    const value = at(args, one.to) as Json;
    const last = binding.answer.key?.at(-1);
    const isKey = binding.args.filter((each) => each.in === 'path').at(-1) === one;
    for (const name of Object.keys(body)) {
      const same = name.replace(/_/g, '').toLowerCase() === one.name.replace(/_/g, '').toLowerCase();
      if (
        (same || (isKey && name === last)) &&
        !binding.args.some(({ in: where, at: path }) => where === 'body' && path?.[0] === name)
      )
        body[name] = value;
    }
  }
};

const bounded = (value: Json | undefined, column: Column | undefined): Json | undefined =>
  typeof value === 'number' && column ? Math.min(column.max ?? value, Math.max(column.min ?? value, value)) : value;

const drop = (body: Json | undefined, path: readonly string[]): void => {
  const holder = at(body, path.slice(0, -1));
  if (typeof holder === 'object' && holder !== null) delete (holder as Values)[path.at(-1) as string];
};
