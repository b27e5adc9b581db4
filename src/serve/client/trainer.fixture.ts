/** A Trainer over real Sessions of one world, in memory: enough of a server to put a door and a client before. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import { addressOf, type Json } from '../../kit/hash.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { OpenedSession, OpenRequest, Pin, RegistryRecord, SessionInfo, SessionStatus } from '../api.js';
import { noScenario } from '../sessions/server/refusals.js';
import { judgeStages } from '../sessions/server/verdicts.js';
import { Session, type SessionSnapshot } from '../sessions/session.js';
import type { CallOutcome } from '../tool-host.js';
import type { Trainer } from '../trainer.js';

const ME = { id: 'ada@fixture.example', name: 'Ada', email: 'ada@fixture.example' };

const no = (code: string, message: string, value?: unknown, rest = {}): TreadleError =>
  new TreadleError({ code, message, value, ...rest });

interface Held {
  session: Session;
  status: SessionStatus;
  labels: SessionInfo['labels'];
  task?: Task | undefined;
  parent?: string;
  token: string;
  snapshots: Map<string, SessionSnapshot>;
  operations: Map<string, CallOutcome>;
}

export interface FakeOptions {
  tasks?: readonly Task[];
  capacity?: number;
  agentOrigin?: string;
}

export interface FakeTrainer extends Trainer {
  /** How often each method ran. */
  readonly runs: Record<string, number>;
  /** Sessions that are not closed. */
  readonly living: number;
  /** The session of a token, for a door to MCP. */
  host(token: string): Session | undefined;
}

export const fakeTrainer = (world: LoadedWorld, options: FakeOptions = {}): FakeTrainer => {
  const { tasks = [], capacity = 10_000, agentOrigin = 'http://127.0.0.1:1' } = options;
  const all = new Map<string, Held>();
  const records: { record: RegistryRecord; content: Json }[] = [];
  const runs: Record<string, number> = {};
  const pin = (name: string, hash: string): Pin => ({ name, version: 1, hash });
  const living = (): number => [...all.values()].filter(({ status }) => status !== 'closed').length;

  const find = (id: string): Held => {
    const held = all.get(id);
    if (held) return held;
    throw no('unknown_session', 'There is no such session', id);
  };
  const usable = (id: string): Held => {
    const held = find(id);
    if (held.status === 'open') return held;
    throw no(`session_${held.status}`, `The session is ${held.status}`, id);
  };
  const infoOf = ({ session, status, labels, task, parent, snapshots }: Held): SessionInfo => ({
    id: session.id,
    status,
    residence: 'active',
    pins: {
      world: pin(world.spec.id, world.hash),
      ...(task && { task: pin(task.id, addressOf(task)) }),
      services: Object.fromEntries([...world.services.values()].map(({ id, spec }) => [id, pin(id, addressOf(spec))])),
      servers: {},
    },
    labels,
    ...(parent !== undefined && { parent }),
    calls: session.ledger.length,
    seq: session.ledger.length,
    clock: session.clock,
    unforkable: [],
    snapshots: [...snapshots.keys()],
  });
  const room = (count: number): void => {
    if (living() + count > capacity)
      throw no('at_capacity', 'No more sessions', capacity, { fault: 'infrastructure', isRetryable: true });
  };
  const add = (held: Omit<Held, 'token' | 'snapshots' | 'operations' | 'status'>): OpenedSession => {
    const whole: Held = {
      ...held,
      status: 'open',
      token: randomBytes(32).toString('base64url'),
      snapshots: new Map(),
      operations: new Map(),
    };
    all.set(held.session.id, whole);
    const at = { token: whole.token, url: `${agentOrigin}/s/${held.session.id}/mcp` };
    const brief = held.task && { brief: held.task.brief };
    return {
      ...infoOf(whole),
      ...at,
      services: Object.fromEntries([...held.session.offered].map((id) => [id, at])),
      ...brief,
    };
  };
  const open = (request: OpenRequest): OpenedSession => {
    room(1);
    const task = tasks.find(({ id }) => id === request.task);
    if (request.scenario !== undefined) throw no('unknown_record', 'There is no such scenario', request.scenario);
    if (request.task !== undefined && !task) throw no('unknown_record', 'There is no such task', request.task);
    if (request.task === undefined && request.world !== world.spec.id)
      throw no('unknown_record', 'There is no such world', request.world);
    const services = request.services ?? task?.services;
    const session = Session.open(world, { id: randomUUID(), me: ME, ...(services && { services }) });
    return add({ session, labels: request.labels ?? {}, task });
  };
  const resolved = (kind: string, reference: string): { record: RegistryRecord; content: Json } => {
    const found = records.findLast(
      ({ record: { kind: is, name, version, hash } }) =>
        is === kind && [name, `${name}@${version}`, hash].includes(reference),
    );
    if (found) return found;
    throw no('unknown_record', 'There is no such record', reference);
  };
  const snapshotOf = (held: Held, name: string): SessionSnapshot => {
    const found = held.snapshots.get(name);
    if (found) return found;
    throw no('unknown_snapshot', 'There is no such snapshot', name);
  };
  const become = (from: SessionStatus[], to: SessionStatus) => (id: string) => {
    const held = find(id);
    if (!from.includes(held.status)) throw no(`session_${held.status}`, `The session is ${held.status}`, id);
    held.status = to;
    return infoOf(held);
  };
  const pause = become(['open', 'paused'], 'paused');
  const resume = become(['open', 'paused'], 'open');
  const close = become(['open', 'paused', 'forked', 'closed'], 'closed');

  const methods = {
    info: () => ({
      version: '0',
      sessions: { open: living() },
      residence: { active: living() },
      capacity,
      worlds: { loaded: 1, known: 1 },
      rssMiB: process.memoryUsage().rss / 1_048_576,
      uptimeSeconds: process.uptime(),
    }),
    open,
    session: (id) => infoOf(find(id)),
    sessions: (filter = {}) => {
      const opened = [...all.values()];
      const from = filter.after === undefined ? 0 : opened.indexOf(find(filter.after)) + 1;
      return opened
        .slice(from)
        .map(infoOf)
        .filter(
          ({ labels, status }) =>
            (filter.run ?? labels.run) === labels.run &&
            (filter.group ?? labels.group) === labels.group &&
            (filter.status ?? status) === status,
        )
        .slice(0, filter.limit);
    },
    tools: (id) => find(id).session.tools(),
    call: (id, { tool, arguments: args, operation }) => {
      const { session, operations } = usable(id);
      const known = operation === undefined ? undefined : operations.get(operation);
      if (known) return known;
      const outcome = session.call(tool, args);
      if (operation !== undefined) operations.set(operation, outcome);
      return outcome;
    },
    fork: (id, { count = 1, retire, labels } = {}) => {
      const from = usable(id);
      room(count);
      const branches = Array.from({ length: count }, () =>
        add({ session: from.session.fork(randomUUID()), labels: labels ?? from.labels, task: from.task, parent: id }),
      );
      if (retire) from.status = 'forked';
      return branches;
    },
    snapshot: (id) => {
      const { session, snapshots } = usable(id);
      const name = `snap-${snapshots.size + 1}`;
      snapshots.set(name, session.snapshot());
      return { snapshot: name, hash: session.hash() };
    },
    restore: (id, name) => {
      const held = usable(id);
      held.session.restore(snapshotOf(held, name));
      return infoOf(held);
    },
    dropSnapshot: (id, name) => {
      const held = find(id);
      snapshotOf(held, name);
      held.snapshots.delete(name);
    },
    reset: (id) => {
      const held = usable(id);
      held.session.reset();
      return infoOf(held);
    },
    pause,
    resume,
    close,
    events: (id) => {
      throw noScenario(find(id).session.id);
    },
    takeNotices: (id) => {
      throw noScenario(find(id).session.id);
    },
    verify: (id, request = {}) => {
      const { task, session } = find(id);
      if (!task) throw no('no_task', 'The session has no task', id);
      const judged = { ...task, nodes: task.nodes.map((node) => node.id) };
      return judgeStages(judged, { session, trace: id, task: addressOf(task), answer: '' }, request);
    },
    ledger: (id) => {
      const held = find(id);
      const { pins, labels } = infoOf(held);
      return { session: id, labels, pins, entries: held.session.ledger.map((entry) => ({ ...entry, ms: 0 })) };
    },
    state: (id) => {
      const { session } = find(id);
      const changes = session.diff() as unknown as Record<string, Json>;
      return { hash: session.hash(), clock: session.clock, changes, files: session.workspace.list() };
    },
    image: (id, service) => {
      const { session } = find(id);
      if (!world.services.has(service)) throw no('unknown_service', 'There is no such service', service);
      return session.view(service).bytes();
    },
    statistics: () => [],
    publish: (kind, name, content) => {
      const version = records.filter(({ record }) => record.kind === kind && record.name === name).length + 1;
      const record = { kind, name, version, hash: addressOf(content) };
      records.push({ record, content });
      return record;
    },
    resolve: (kind, reference) => resolved(kind, reference).record,
    read: (kind, reference) => resolved(kind, reference).content,
    records: (kind, name) =>
      records
        .map(({ record }) => record)
        .filter((record) => record.kind === kind && (name ?? record.name) === record.name),
    deprecate: (kind, reference, because) => {
      const { record } = resolved(kind, reference);
      record.deprecated = { because };
      return record;
    },
  } satisfies { [M in keyof Trainer]: (...given: Parameters<Trainer[M]>) => Awaited<ReturnType<Trainer[M]>> };

  for (const task of tasks) methods.publish('task', task.id, task as unknown as Json);
  methods.publish('world', world.spec.id, { id: world.spec.id });

  const served = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (...given: unknown[]) => {
        runs[name] = (runs[name] ?? 0) + 1;
        return (method as (...given: unknown[]) => unknown)(...given);
      },
    ]),
  ) as unknown as Trainer;
  return {
    ...served,
    runs,
    get living() {
      return living();
    },
    host: (token) => [...all.values()].find((held) => held.token === token)?.session,
  };
};
