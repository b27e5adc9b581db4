/** Calls of an operation or of a tool that are like what a test expects. */
import type { LedgerEntry } from '../../../artifacts/trace.js';
import { TreadleError } from '../../../errors.js';
import { nearNames } from '../../../kit/near.js';
import type { FaceCall } from '../../../serve/face/call-log.js';
import { targetsOf } from '../../../serve/face/faults/target.js';
import type { WorldHandle } from '../handle.js';
import { isLike, shownOf } from './like.js';

export interface Called {
  /** In part. */
  body?: unknown;
  /** Path, query, header and cookie parameters by name, in part. */
  params?: Readonly<Record<string, unknown>>;
  status?: unknown;
  /** Of a tool that an agent calls, in part. */
  args?: unknown;
  /** Exactly so often; at least once when absent. */
  times?: number;
}

/** One call in a form that both kinds have. */
export interface CallSeen {
  /** `POST /customers -> 201 {"name":"Ana"}` */
  text: string;
  differing(expected: Called): string[];
}

const part = (name: string, expected: unknown, actual: unknown): string[] =>
  expected === undefined || isLike(expected, actual)
    ? []
    : [`${name}: expected ${shownOf(expected)}, is ${shownOf(actual)}`];

const ofHttp = (call: FaceCall): CallSeen => {
  const { method, path, query, status, body, params, fault } = call;
  const said = body === undefined ? '' : ` ${shownOf(body)}`;
  return {
    text: `${method} ${path}${query ? `?${query}` : ''} -> ${status === 0 ? 'no answer' : status}${fault ? ` (fault ${fault})` : ''}${said}`,
    differing: (expected) => [
      ...part('body', expected.body, body),
      ...part('params', expected.params, params ?? {}),
      ...part('status', expected.status, status),
      ...part('args', expected.args, undefined),
    ],
  };
};

const ofTool = ({ tool, args, ok }: LedgerEntry): CallSeen => ({
  text: `${tool} ${shownOf(args)}${ok ? '' : ' -> failed'}`,
  differing: (expected) => [...part('args', expected.args ?? expected.body, args)],
});

/** A path of the rows themselves, `GET /customers/cus_1`, is one of an operation too. */
const httpCalls = (world: WorldHandle, name: string): FaceCall[] => {
  const targets = targetsOf(name, world.served.operations);
  const byLabel = new Map([...targets].map(([{ http }, fits]) => [http.label, fits]));
  return world
    .calls()
    .filter(({ operation, path }) => operation !== undefined && byLabel.get(operation)?.(path) === true);
};

/** Throws `unknown_operation` where the world has neither an operation nor a tool of that name: it could never be called. */
export const callsNamed = (world: WorldHandle, name: string, { args }: Called): CallSeen[] => {
  const tools = world.session().world.tools;
  const isOperation =
    name.includes('/') || name === '*' || world.served.operations.some(({ http }) => http.id === name);
  // A tool is often called as its operation is: what arguments are asked of is the tool.
  if (tools.has(name) && (!isOperation || args !== undefined))
    return world
      .ledger()
      .filter(({ tool }) => tool === name)
      .map(ofTool);
  if (world.served.operations.length === 0)
    throw new TreadleError({
      code: 'unknown_operation',
      message: 'The world has no such tool',
      value: name,
      next: `Nearest: ${nearNames(name, [...tools.keys()]).join(', ') || 'none'}.`,
    });
  return httpCalls(world, name).map(ofHttp);
};

export const allCalls = (world: WorldHandle): CallSeen[] =>
  world.served.operations.length > 0 ? world.calls().map(ofHttp) : world.ledger().map(ofTool);
