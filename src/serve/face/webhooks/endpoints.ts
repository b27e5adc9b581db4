/**
 * Addresses that callers register through the API itself (`POST /webhooks`, `POST /repos/{}/hooks`): a row of the session each, which
 * hears what its events, its secret and its state say. Rows of the initial data have addresses that nobody answers at: none is called.
 */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Step } from '../../../artifacts/step.js';
import type { Table } from '../../../artifacts/table.js';
import type { Tool } from '../../../artifacts/tool.js';
import { singular, snake } from '../../../kit/words.js';
import type { Row } from '../../../world/state/types.js';
import type { FaceOperation } from '../types.js';
import { type Leaf, leafNamed, leavesOfRow } from './leaves.js';

/** A table of addresses. */
export interface EndpointTable {
  name: string;
  /** Columns that the path of its creation fixes: what it hears of is under the same row. */
  under: { col: string; table: string }[];
}

export interface Endpoint {
  table: EndpointTable;
  key: string | number;
  row: Row;
  leaves: readonly Leaf[];
  url: string;
  /** Absent where the row has none; `null` where its table has no column for one. */
  secret: string | undefined | null;
}

const HOOKS = /(^|_)(web_?hook|hook)(_(endpoint|subscription|target|url|config|configuration|setting))?$/;
const OTHERS =
  /^((event|notification|push|callback|api)_)?subscription$|^(event|notification|callback)_(endpoint|destination|listener|receiver|target)$/;

const URLS = [
  /^url$/,
  /^(target|callback|webhook|hook|web_hook|endpoint|delivery|destination|notification|notify|post|payload|listener|receiver|push)_(url|uri|endpoint|address)$/,
  /^(target|callback|endpoint|uri|address|destination|webhook|sink|delivery_address)$/,
];
const HOLDERS =
  /^(config|configuration|settings|options|data|attributes|delivery|destination|endpoint|target|transport)$/;

const SECRETS = [
  /^(webhook_|signing_|shared_|hmac_|client_|signature_)?secret(_key|_token)?$/,
  /^(signing|signature|hmac|shared|webhook|verification)_(key|token)$/,
];

const ON = [/^(is_)?(active|enabled|activated)$/];
const OFF = [/^(is_)?(disabled|paused|inactive|suspended|deactivated|deleted|archived)(_at|_on|_date)?$/];
const STATUS = [/^(status|state)$/];
const STOPPED =
  /^(disabled?|inactive|paused?|suspended|stopped|deactivated|deleted|archived|revoked|expired|off|failed|cancell?ed)$/;

const isUrl = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\//i.test(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const within = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => ('if' in step ? within(step.if.do) : 'each' in step ? within(step.each.do) : [step]));

const underOf = (tool: Tool, table: Table): EndpointTable['under'] => {
  const insert = within(tool.steps ?? []).find((step) => 'insert' in step && step.insert.table === tool.table);
  const set = insert && 'insert' in insert ? insert.insert.set : {};
  return Object.entries(table.cols).flatMap(([col, { fk }]) => {
    const arg = /^\$args\.(\w+)$/.exec(String(set[col]))?.[1];
    const isFixed = /^\$above_/.test(String(set[col])) || (arg !== undefined && tool.args[arg]?.role === 'input');
    return fk !== undefined && isFixed ? [{ col, table: fk }] : [];
  });
};

/** A column that may hold an address, by its name; hooks may have it inside a JSON column. */
const holdsUrl = ({ cols }: Table, isHook: boolean): boolean =>
  Object.entries(cols).some(([name, { type, field, fk, format }]) => {
    const last = snake((field ?? name).split('.').at(-1) ?? '');
    if (fk !== undefined) return false;
    if (type === 'text') return URLS.some((one) => one.test(last)) || (isHook && /^(uri|url)$/.test(format ?? ''));
    return isHook && type === 'json' && HOLDERS.test(last);
  });

/** The operations that register addresses, each with its table. */
export const endpointTablesOf = (
  operations: readonly FaceOperation[],
  { tables, tools }: ServiceSpec,
): Map<FaceOperation, EndpointTable> => {
  const out = new Map<FaceOperation, EndpointTable>();
  const known = new Map<string, EndpointTable>();
  for (const operation of operations) {
    const { http, binding } = operation;
    const tool = http.method === 'post' && binding ? tools[binding.tool] : undefined;
    const table = tool && tables[tool.table];
    if (!table || !tool.writes.some((write) => write.insert && write.table === tool.table)) continue;
    const last = http.path.split('/').findLast((part) => part !== '') ?? '';
    const noun = singular(snake(last));
    const isHook = HOOKS.test(noun);
    if (last.includes('{') || !(isHook || OTHERS.test(noun)) || !holdsUrl(table, isHook)) continue;
    const made = known.get(tool.table) ?? { name: tool.table, under: [] };
    for (const one of underOf(tool, table)) if (!made.under.some(({ col }) => col === one.col)) made.under.push(one);
    known.set(tool.table, made);
    out.set(operation, made);
  }
  return out;
};

/** A secret as answers show it. */
export const secretIn = (leaves: readonly Leaf[]): string | undefined =>
  leafNamed(leaves, SECRETS, isText)?.value as string | undefined;

const hasSecret = ({ cols }: Table): boolean =>
  Object.entries(cols).some(([name, { field, type }]) => {
    const last = snake((field ?? name).split('.').at(-1) ?? '');
    return SECRETS.some((one) => one.test(last)) || (type === 'json' && HOLDERS.test(last));
  });

const isOn = (leaves: readonly Leaf[]): boolean => {
  const off = (value: unknown): boolean => value === false || value === 0;
  if (leafNamed(leaves, ON, off)) return false;
  if (leafNamed(leaves, OFF, (value) => !off(value) && value !== '')) return false;
  return leafNamed(leaves, STATUS, (value) => typeof value === 'string' && STOPPED.test(snake(value))) === undefined;
};

/** Undefined for a row without an address, and for one that is switched off. */
export const endpointOf = (table: EndpointTable, row: Row, held: Table): Endpoint | undefined => {
  const key = row[held.key.col];
  const leaves = leavesOfRow(row, held);
  const url =
    leafNamed(leaves, URLS, isUrl) ??
    leaves.find(({ path, value }) => /(url|uri)$/.test(path.at(-1) ?? '') && isUrl(value));
  if (url === undefined || !isOn(leaves) || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
  const secret = secretIn(leaves) ?? (hasSecret(held) ? undefined : null);
  return { table, key, row, leaves, url: url.value as string, secret };
};
