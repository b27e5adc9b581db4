import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serviceFixture, stateWith } from '../../../test/fixtures/services.js';
import type { Connection } from '../state/connection.js';
import { Engine } from '../state/engine.js';
import { outputSchemaOf } from '../surface/output-schema.js';
import { Workspace } from '../workspace/workspace.js';
import { callTool } from './call.js';
import { compileService } from './compile.js';
import { derivedContract } from './contract.js';
import type { ToolOutcome } from './types.js';

const NOW = 1_717_200_000;
const program = compileService(serviceFixture('tickets'));
let engine: Engine;
let conn: Connection;
let workspace: Workspace;

const ticket = (n: number, over: Record<string, string | number | null> = {}) => ({
  id: `t${n}`,
  subject: `Printer ${n} on fire`,
  state: 'new',
  priority: (n % 5) + 1,
  agent_id: null,
  assigned_at: null,
  requester_email: 'r@x.example',
  requester_city: null,
  promised_on: null,
  credit: 1250,
  score: 0.5,
  tags: '["hot"]',
  updated_at: NOW - n,
  ...over,
});
const call = (tool: string, args: unknown): ToolOutcome =>
  callTool(program, tool, conn, args, {
    now: NOW,
    me: { id: 'e', name: 'Ada', email: 'ada@x.example' },
    seed: 's',
    workspace,
  });
const result = (tool: string, args: unknown): unknown => call(tool, args).result;

beforeAll(async () => {
  engine = await Engine.start();
  conn = engine.connection(program.ddlKey);
});
beforeEach(() => {
  workspace = new Workspace();
  conn.bind(
    stateWith(engine, program.spec, {
      agent: [
        { id: 10, name: 'Bo', is_active: 1 },
        { id: 11, name: 'Cy', is_active: 0 },
      ],
      ticket: [
        ticket(1),
        ticket(2),
        ticket(3, { agent_id: 10, state: 'solved', requester_city: 'Ghent' }),
        ticket(4),
        ticket(5),
        ticket(6),
      ],
    }),
  );
});

describe('a nested surface', () => {
  it('shows rows as resource objects with the key apart and fields nested', () => {
    expect(result('getTicket', { ticketId: 't3' })).toEqual({
      data: {
        type: 'ticket',
        id: 't3',
        attributes: {
          subject: 'Printer 3 on fire',
          state: 'SOLVED',
          priority: 4,
          assignment: { agent: { id: 10 }, since: null },
          requester: { email: 'r@x.example', address: { city: 'Ghent' } },
          promisedOn: null,
          credit: { amount: '12.50', currency: 'USD' },
          score: 0.5,
          tags: ['hot'],
          updatedAt: '2024-05-31T23:59:57+00:00',
        },
      },
    });
  });

  it('nests arguments, describes them and takes only those', () => {
    const { inputSchema } = program.tools.get('findTickets')!;
    expect(inputSchema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: {
        filter: {
          type: 'object',
          additionalProperties: false,
          properties: {
            state: { enum: ['NEW', 'IN_PROGRESS', 'WAITING_ON_CUSTOMER', 'SOLVED'] },
            agent: { properties: { id: { type: 'integer' } } },
            priority: { properties: { atLeast: { type: 'integer' } } },
          },
        },
        page: { properties: { size: { minimum: 1, maximum: 50, default: 5 }, number: { minimum: 1, default: 1 } } },
      },
    });
    expect(program.tools.get('openTicket')!.inputSchema).toMatchObject({ required: ['subject', 'requester'] });
    expect(call('findTickets', { filter: { agent: { name: 'x' } } })).toMatchObject({
      ok: false,
      error: {
        code: 'unknown_argument',
        field: 'filter.agent.name',
        message: expect.stringContaining('the arguments are id'),
      },
    });
  });

  it('pages by number from 1', () => {
    const second = result('findTickets', { page: { number: 2, size: 4 } }) as { data: unknown[]; meta: unknown };
    expect(second.meta).toEqual({ totalCount: 6, page: 2, pageCount: 2 });
    expect(second.data.length).toBe(2);
    expect(result('findTickets', { page: { number: 99 } })).toMatchObject({
      data: [],
      meta: { page: 99, totalCount: 6 },
    });
    expect(call('findTickets', { page: { number: 0 } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument', field: 'page.number', status: 400 },
    });
  });

  it('answers errors in its own envelope', () => {
    expect(result('getTicket', { ticketId: 'nope' })).toEqual({
      errors: [
        {
          status: 404,
          code: 'not_found',
          detail: "There is no ticket with ticketId 'nope'",
          source: { parameter: 'ticketId' },
        },
      ],
    });
  });

  it('creates with nested arguments, json, amounts and defaults', () => {
    const made = result('openTicket', {
      subject: 'Help',
      requester: { email: 'q@x.example', address: { city: 'Łódź' } },
      credit: { amount: '3.05', currency: 'USD' },
      promisedOn: '20240701',
      tags: { a: [1, null] },
    }) as { data: { id: string; attributes: Record<string, unknown> } };
    expect(made.data.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.data.attributes).toMatchObject({
      state: 'NEW',
      priority: 3,
      promisedOn: '20240701',
      credit: { amount: '3.05', currency: 'USD' },
      tags: { a: [1, null] },
      requester: { email: 'q@x.example', address: { city: 'Łódź' } },
    });
    expect(result('getTicket', { ticketId: made.data.id })).toEqual(made);
  });
});

describe('steps', () => {
  it('each and if act row by row, all or nothing', () => {
    expect(result('assignTickets', { ticketIds: ['t1', 't2'], agentId: 10 })).toMatchObject({
      count: 2,
      assigned: [{ attributes: { state: 'IN_PROGRESS', assignment: { agent: { id: 10 } } } }, { id: 't2' }],
    });
    expect(call('assignTickets', { ticketIds: ['t4', 't3'], agentId: 10 })).toMatchObject({
      ok: false,
      error: { code: 'invalid_state' },
    });
    expect(result('getTicket', { ticketId: 't4' })).toMatchObject({ data: { attributes: { state: 'NEW' } } });
    expect(call('assignTickets', { ticketIds: ['t4'], agentId: 11 })).toMatchObject({
      ok: false,
      error: { message: 'Cy is not active' },
    });
    expect(call('assignTickets', { ticketIds: ['t9'], agentId: 10 })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });

  it('writes files, and takes them back when the call fails', () => {
    result('assignTickets', { ticketIds: ['t1'], agentId: 10 });
    expect(call('solveTicket', { ticketId: 't1', note: 'done' })).toMatchObject({ ok: true });
    expect(workspace.read('notes/t1.txt')).toBe('done');
    expect(call('solveTicket', { ticketId: 't2', note: 'no' })).toMatchObject({
      ok: false,
      error: { message: 'Nobody works on this ticket' },
    });
    conn.prepare('UPDATE ticket SET agent_id = 10, promised_on = 0 WHERE id = ?').run(['t2']);
    expect(call('solveTicket', { ticketId: 't2', note: 'no' })).toMatchObject({
      ok: false,
      error: { code: 'too_late', status: 409 },
    });
    expect(workspace.list()).toEqual(['notes/t1.txt']);
  });

  it('keeps its declared contract', () => {
    for (const [name, { tool }] of program.tools)
      expect([name, derivedContract(program, name, conn)]).toEqual([name, { reads: tool.reads, writes: tool.writes }]);
  });
});

describe('output schemas', () => {
  it('follow the envelope', () => {
    expect(outputSchemaOf(program.spec, program.spec.tools.findTickets!)).toMatchObject({
      required: ['data', 'meta'],
      properties: {
        data: {
          type: 'array',
          items: { required: ['type', 'id', 'attributes'], properties: { attributes: { type: 'object' } } },
        },
        meta: { properties: { totalCount: { type: 'integer' } } },
      },
    });
  });
});
