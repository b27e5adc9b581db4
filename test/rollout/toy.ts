/** A toy host with three invoices, and a task on it: what tests of policies, rollouts and exports act on. */
import { type Task, Task as TaskSchema } from '../../src/artifacts/task.js';
import type { LedgerEntry } from '../../src/artifacts/trace.js';
import type { Verdict } from '../../src/artifacts/verdict.js';
import type { Json } from '../../src/kit/hash.js';
import { addressOf } from '../../src/kit/hash.js';
import type { CallOutcome, SessionTool, ToolHost } from '../../src/serve/tool-host.js';

const HASH = 'a'.repeat(64);
const tool = (name: string, properties: object, required: string[], readOnly: boolean): SessionTool => ({
  service: 'billing',
  name,
  description: `${name}.`,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  outputSchema: { type: 'object' },
  readOnly,
  destructive: false,
  version: addressOf(name),
});

export const TOOLS: SessionTool[] = [
  tool('list_invoices', { status: { type: 'string', enum: ['open', 'void'] } }, [], true),
  tool('get_invoice', { id: { type: 'string' } }, ['id'], true),
  tool('void_invoice', { id: { type: 'string' }, reason: { type: 'string' } }, ['id'], false),
];

export interface ToyHost extends ToolHost {
  rows: { id: string; customer: string; total: number; status: string }[];
  ledger: LedgerEntry[];
}

/** A fresh toy host; deterministic, 5 virtual seconds a call. */
export const toyHost = (clock = 1_709_596_800): ToyHost => {
  const rows = ['Acme', 'Brandt', 'Cole'].map((customer, n) => ({
    id: `inv_${n + 1}x`,
    customer,
    total: (n + 1) * 1000,
    status: 'open',
  }));
  const ledger: LedgerEntry[] = [];
  const run = (name: string, args: Record<string, Json>): { ok: boolean; result: Json } => {
    const row = rows.find(({ id }) => id === args.id);
    if (name === 'list_invoices')
      return { ok: true, result: { data: rows.map(({ id, customer }) => ({ id, customer })) } };
    if (!TOOLS.some((offered) => offered.name === name))
      return { ok: false, result: { error: { code: 'unknown_tool', message: name } } };
    if (!row)
      return { ok: false, result: { error: { code: 'not_found', message: `No invoice ${JSON.stringify(args.id)}` } } };
    if (name === 'void_invoice') row.status = 'void';
    return { ok: true, result: { ...row } };
  };
  const call = (name: string, args: unknown): CallOutcome => {
    const { ok, result } = run(name, (args ?? {}) as Record<string, Json>);
    const known = TOOLS.find((offered) => offered.name === name);
    const error = { code: 'not_found', fault: 'agent' as const };
    const entry: LedgerEntry = {
      index: ledger.length,
      service: known?.service ?? '',
      tool: name,
      toolVersion: known?.version ?? '',
      args: args as Json,
      ok,
      result,
      ...(ok ? {} : { error }),
      touched: [],
      at: clock + 5 * ledger.length,
    };
    ledger.push(entry);
    return ok ? { ok, result, entry } : { ok, result, error: { ...error, status: 404 }, entry };
  };
  return { rows, ledger, tools: () => TOOLS, call };
};

/** Void Brandt's invoice and tell its total: list, get, void. `n` makes variants of one lineage, `template` other lineages. */
export const toyTask = (n = 0, template = 'void_by_customer', worldId = 'toy_world'): Task =>
  TaskSchema.parse({
    treadle: 'task/1',
    id: `toy-${template.replaceAll('_', '-')}-${n}`,
    kind: 'atomic',
    world: HASH,
    worldId,
    services: ['billing'],
    actor: { name: 'Ada Berg', email: 'ada@toy.example', title: 'Accountant' },
    brief: `Please void the invoice of Brandt and tell me its total. (${n})`,
    snapshot: HASH,
    clock: 1_709_596_800,
    nodes: [
      {
        id: 'n1',
        family: 'action',
        intent: 'void',
        service: 'billing',
        chain: ['invoice.list', 'invoice.get', 'invoice.void'],
      },
    ],
    edges: [],
    bindings: [],
    disclosure: {
      persona: 'brisk',
      stages: [
        {
          node: 'n1',
          full: 'Void the invoice of Brandt.',
          partial: 'Void Brandt’s.',
          vague: 'Something is wrong with Brandt.',
          facts: [],
        },
      ],
    },
    milestones: [{ id: 'm1', node: 'n1', checks: [{ id: 'c1', kind: 'answer', footprint: [] }] }],
    answer: { kind: 'number', asks: 'the total', expected: 2000, distractors: [1000, 3000] },
    reference: {
      calls: [
        { service: 'billing', tool: 'list_invoices', args: {} },
        { service: 'billing', tool: 'get_invoice', args: { id: 'recorded-id' } },
        { service: 'billing', tool: 'void_invoice', args: { id: 'recorded-id', reason: 'asked' } },
      ],
      answer: '2000',
      sources: [
        { call: 1, arg: 'id', from: { observed: 0, path: 'data.1.id' } },
        { call: 2, arg: 'id', from: { observed: 1, path: 'id' } },
        { call: 2, arg: 'reason', from: { constant: 'asked' } },
      ],
    },
    lineage: { template, seed: String(n) },
  });

export const toyVerdict = (trace: { id: string; task: string }, pass = true): Verdict => ({
  treadle: 'verdict/1',
  task: trace.task,
  trace: trace.id,
  pass,
  milestones: [{ id: 'm1', pass, checks: [{ check: 'c1', kind: 'answer', pass, evidence: 'seen' }] }],
  broken: [],
  fault: pass ? 'none' : 'policy',
});
