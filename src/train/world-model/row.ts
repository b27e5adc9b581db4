/** A row: who calls what in which history, and what the software answered. */
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { addressOf, type Json } from '../../kit/hash.js';
import type { SessionTool } from '../../serve/tool-host.js';
import type { Columns, Row } from '../tables/shape.js';
import type { Step } from './steps.js';

/** Rows of the state that a call is about: by service and table, as they are stored. */
export type StateRows = Record<string, Record<string, Json>[]>;

export const COLUMNS: Columns = {
  messages: { list: { fields: { role: 'text', content: 'text' } } },
  service: 'text',
  tool: 'text',
  ok: 'truth',
  error: 'text',
  fault: 'text',
  step: 'whole',
  history_left_out: 'whole',
  has_state: 'truth',
  source: 'text',
  producer: 'text',
  trace: 'text',
  task: 'text',
  world: 'text',
  world_hash: 'text',
  pair: 'text',
};

export interface Setting {
  world: WorldSpec;
  worldHash: string;
  task: Pick<Task, 'id' | 'actor' | 'grounding'>;
  /** Those that the agent was offered. */
  tools: readonly SessionTool[];
}

const timeOf = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

const actionText = ({ tool, args, at }: Step, state?: StateRows): string =>
  JSON.stringify({ now: timeOf(at), tool, arguments: args, ...(state ? { state } : {}) });

/** What a world model may know: who calls, what could be called, and the definitions of what is. */
const systemText = (
  { world, task: { actor }, tools }: Setting,
  used: ReadonlySet<string>,
  hasState: boolean,
): string => {
  const defined = tools
    .filter(({ name }) => used.has(name))
    .map(({ name, description, inputSchema, outputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema, output_schema: outputSchema }),
    );
  return [
    `You are the software of ${world.company.name}. Each message is a call that ${actor.name} (${actor.title}, ${actor.email}) makes, with the time. Reply with what the tool answers and nothing else: its result as JSON, or its error.`,
    ...(hasState ? ['`state` holds rows of the database that the call is about, as they are stored before it.'] : []),
    `Tools: ${tools.map(({ name }) => name).join(', ')}`,
    ...(defined.length > 0 ? [`Definitions:\n${defined.join('\n')}`] : []),
  ].join('\n\n');
};

/** Both sides of a pair are the same where the state and the action are: history that changed nothing does not count. */
export class PairKeys {
  #state: string;
  readonly #changes: ReadonlySet<string>;

  constructor({ worldHash, task: { actor, grounding }, tools }: Setting, snapshot: string) {
    this.#changes = new Set(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name));
    this.#state = addressOf({ worldHash, snapshot, actor, grounding: grounding ?? null });
  }

  /** Somebody outside changed the state: from now on it is another one, which history does not tell. */
  changed(by: string): void {
    this.#state = addressOf({ state: this.#state, outside: by });
  }

  /** The key of the next step; then the state is what the step leaves. */
  next({ tool, args, at, ok }: Step): string {
    const writes = this.#changes.has(tool);
    // What a write leaves holds the time and new ids, what a look-up gives does not.
    const key = addressOf({ state: this.#state, tool, args, ...(writes ? { at } : {}) });
    if (writes && ok) this.#state = key;
    return key;
  }
}

export interface RowParts {
  trace: Pick<Trace, 'id' | 'producer'>;
  source: 'trace' | 'reference';
  history: readonly Step[];
  /** Steps before `history` that are not told. */
  left: number;
  step: Step;
  pair: string;
  state?: StateRows | undefined;
}

export const worldRow = (setting: Setting, parts: RowParts): Row => {
  const { trace, history, left, step, state } = parts;
  const { policy, name } = trace.producer;
  const used = new Set([...history, step].map(({ tool }) => tool));
  return {
    messages: [
      { role: 'system', content: systemText(setting, used, state !== undefined) },
      ...history.flatMap((before) => [
        { role: 'user', content: actionText(before) },
        { role: 'assistant', content: before.observation },
      ]),
      { role: 'user', content: actionText(step, state) },
      { role: 'assistant', content: step.observation },
    ],
    service: step.service,
    tool: step.tool,
    ok: step.ok,
    error: step.code,
    fault: step.fault,
    step: step.index,
    history_left_out: left,
    has_state: state !== undefined,
    source: parts.source,
    producer: policy === name || policy === 'scripted' ? policy : `${policy} ${name}`,
    trace: trace.id,
    task: setting.task.id,
    world: setting.world.id,
    world_hash: setting.worldHash,
    pair: parts.pair,
  };
};
