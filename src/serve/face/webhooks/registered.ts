/** Who has registered for a webhook in a session: the rows of its endpoint tables that ask for it. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Table } from '../../../artifacts/table.js';
import type { Caller } from '../callers.js';
import type { FaceOperation, FaceResponse } from '../types.js';
import { isAsked } from './asked.js';
import type { Declared } from './declared.js';
import type { Effect } from './effect.js';
import { type Endpoint, type EndpointTable, endpointOf, secretIn } from './endpoints.js';
import { leavesOf } from './leaves.js';
import type { WebhookLog } from './log.js';
import { isUnder, rowsMade } from './rows.js';
import type { Receiver } from './sending.js';

/** Addresses of one session that are sent to. */
const MOST = 100;

const secretKey = (table: string, key: string | number): string => `${table}\n${key}`;

/** A secret that the answer to a registration shows is what its receiver checks by, whoever made it up. */
export const noteSecret = (
  log: WebhookLog,
  { name }: EndpointTable,
  effects: readonly Effect[],
  { status, body }: FaceResponse,
): void => {
  const made = effects.filter(({ table, change }) => table === name && change === 'insert');
  const [only] = made;
  if (made.length !== 1 || only === undefined || typeof body !== 'string' || status >= 300) return;
  try {
    const secret = secretIn(leavesOf(JSON.parse(body)));
    if (secret !== undefined) log.secrets.set(secretKey(name, only.key), secret);
  } catch {
    // An answer that is no JSON shows none.
  }
};

/** Those of a session that are switched on and have an address. */
export const endpointsOf = (caller: Caller, spec: ServiceSpec, tables: Iterable<EndpointTable>): Endpoint[] =>
  [...new Set(tables)]
    .flatMap((table) =>
      rowsMade(caller, spec, table.name).flatMap(
        (row) => endpointOf(table, row, spec.tables[table.name] as Table) ?? [],
      ),
    )
    .slice(0, MOST);

const isWithin = (caller: Caller, spec: ServiceSpec, { table, row }: Endpoint, effect: Effect): boolean =>
  table.under.every(({ col, table: above }) => {
    const key = row[col];
    return (
      (typeof key !== 'string' && typeof key !== 'number') ||
      isUnder(caller, spec, effect, { table: above, key }) !== false
    );
  });

export interface Registration {
  caller: Caller;
  spec: ServiceSpec;
  log: WebhookLog;
  /** What signs for addresses whose rows cannot have a secret. */
  secret: string | undefined;
}

/** `of`: tables whose rows hear of it; all of them where absent. */
export const receiversOf = (
  { caller, spec, log, secret }: Registration,
  endpoints: readonly Endpoint[],
  declared: Declared,
  effect: Effect,
): Receiver[] =>
  endpoints
    .filter(({ leaves }) => isAsked(leaves, declared))
    .filter((endpoint) => isWithin(caller, spec, endpoint, effect))
    .map(({ table: { name: table }, key, url, secret: own }) => ({
      url,
      secret: own ?? log.secrets.get(secretKey(table, key)) ?? (own === null ? secret : undefined),
      isGiven: true,
      endpoint: { table, key },
    }));

/** Whether an operation registers addresses for what a callback tells of: of other rows than its own. */
export const isRegistration = (
  endpoints: ReadonlyMap<FaceOperation, EndpointTable>,
  operation: FaceOperation,
  meant: readonly string[],
): boolean => {
  const own = endpoints.get(operation)?.name;
  return own !== undefined && meant.length > 0 && !meant.includes(own);
};
