import { describe, expect, it } from 'vitest';
import { type Any, broken, steps, table, tool } from '../../../test/fixtures/broken.js';
import { type FixtureName, serviceData, serviceFixture } from '../../../test/fixtures/services.js';
import { ServiceSpec } from '../../artifacts/service.js';
import { compileService } from './compile.js';

describe('compileService', () => {
  it('shares one program between equal specs, and versions tools by content', () => {
    const program = compileService(serviceFixture('billing'));
    expect(compileService(serviceFixture('billing'))).toBe(program);
    const data = serviceData('billing');
    tool(data, 'get_invoice').description = 'Another text.';
    const other = compileService(ServiceSpec.parse(data));
    expect(other.tools.get('get_invoice')!.version).not.toBe(program.tools.get('get_invoice')!.version);
    expect(other.tools.get('void_invoice')!.version).toBe(program.tools.get('void_invoice')!.version);
    expect(other.ddlKey).toBe(program.ddlKey);
  });

  it('knows which tools only read', () => {
    const { tools } = compileService(serviceFixture('billing'));
    expect([...tools.values()].filter(({ readOnly }) => readOnly).map(({ name }) => name)).toEqual([
      'search_customers',
      'list_invoices',
      'get_invoice',
      'customer_balance',
    ]);
  });
});

describe('a spec that cannot work is refused with its place', () => {
  const cases: [string, FixtureName, (data: never) => void, string, RegExp][] = [
    [
      'a step on no table',
      'billing',
      steps([{ find: { table: 'nope', as: 'x' } }]),
      'unknown_table',
      /refund_payment steps\[1\].*no table nope/,
    ],
    [
      'a step on no column',
      'billing',
      steps([{ update: { table: 'payment', where: { id: '$p.id' }, set: { nope: 1 } } }]),
      'unknown_column',
      /no column nope/,
    ],
    ['a path to nothing', 'billing', steps([{ let: { x: '$q.id' } }]), 'bad_steps', /nothing is bound to q.id/],
    ['a path to no column', 'billing', steps([{ let: { x: '$p.nope' } }]), 'unknown_column', /no column nope/],
    ['a path to no argument', 'billing', steps([{ let: { x: '$args.nope' } }]), 'unknown_argument', /no argument nope/],
    ['a reserved name', 'billing', steps([{ let: { now: 1 } }]), 'bad_steps', /now cannot be bound/],
    ['let in a circle', 'billing', steps([{ let: { a: 'b + 1', b: 'a + 1' } }]), 'bad_steps', /need each other/],
    [
      'a text in a number',
      'billing',
      steps([{ update: { table: 'payment', where: { id: '$p.id' }, set: { amount: "'x'" } } }]),
      'bad_steps',
      /cannot hold/,
    ],
    [
      'a value outside an enum',
      'billing',
      steps([{ update: { table: 'payment', where: { id: '$p.id' }, set: { status: "'gone'" } } }]),
      'bad_steps',
      /gone is no payment.status/,
    ],
    [
      'the key changed',
      'billing',
      steps([{ update: { table: 'payment', where: { id: '$p.id' }, set: { id: "'x'" } } }]),
      'bad_steps',
      /cannot be changed/,
    ],
    [
      'an insert that forgets',
      'billing',
      steps([{ insert: { table: 'refund', set: { amount: 1 } } }]),
      'bad_steps',
      /must set payment_id/,
    ],
    [
      'an update of everything',
      'billing',
      steps([{ update: { table: 'payment', where: {}, set: { amount: 1 } } }]),
      'bad_steps',
      /at least one column/,
    ],
    [
      'a write in sql',
      'billing',
      steps([{ sql: { query: 'DELETE FROM payment', as: 'x' } }]),
      'bad_steps',
      /one SELECT/,
    ],
    [
      'two statements in sql',
      'billing',
      steps([{ sql: { query: 'SELECT 1; SELECT 2', as: 'x' } }]),
      'bad_steps',
      /one SELECT/,
    ],
    [
      'a write behind WITH',
      'billing',
      steps([{ sql: { query: 'WITH a AS (SELECT 1) INSERT INTO refund SELECT * FROM a', as: 'x' } }]),
      'bad_steps',
      /one SELECT/,
    ],
    [
      'internals in sql',
      'billing',
      steps([{ sql: { query: 'SELECT * FROM _treadle_counter', as: 'x' } }]),
      'bad_steps',
      /internal/,
    ],
    [
      'a foreign table in sql',
      'billing',
      steps([{ sql: { query: 'SELECT * FROM payment JOIN other ON 1', as: 'x' } }]),
      'unknown_table',
      /other/,
    ],
    [
      'parameters that do not count',
      'billing',
      steps([{ sql: { query: 'SELECT ?', as: 'x' } }]),
      'bad_steps',
      /1 placeholders and 0/,
    ],
    [
      'an error about no argument',
      'billing',
      steps([{ require: [{ that: 'true', error: 'x', field: 'nope' }] }]),
      'unknown_argument',
      /nope/,
    ],
    [
      'a message about nothing',
      'billing',
      steps([{ require: [{ that: 'true', error: 'x', message: '{p.nope}' }] }]),
      'unknown_column',
      /nope/,
    ],
    [
      'returns of nothing',
      'billing',
      (data) => {
        tool(data, 'void_invoice').returns = { row: 'gone' };
      },
      'bad_steps',
      /returns.*gone/,
    ],
    [
      'returns of another table',
      'billing',
      (data) => {
        tool(data, 'void_invoice').returns = { row: 'row', table: 'payment' };
      },
      'bad_steps',
      /no row of payment/,
    ],
    [
      'an action without steps',
      'billing',
      (data) => {
        delete tool(data, 'void_invoice').steps;
      },
      'bad_steps',
      /needs steps/,
    ],
    [
      'a code tool with steps',
      'billing',
      (data) => {
        Object.assign(tool(data, 'void_invoice'), { op: 'code', code: { language: 'javascript', source: '() => 1' } });
      },
      'bad_steps',
      /has no steps/,
    ],
    [
      'code beside another operation',
      'billing',
      (data) => {
        Object.assign(tool(data, 'void_invoice'), { code: { language: 'javascript', source: '() => 1' } });
      },
      'bad_steps',
      /go together/,
    ],
    [
      'a code tool that is no JavaScript',
      'billing',
      (data) => {
        const one = tool(data, 'void_invoice');
        delete one.steps;
        delete one.returns;
        Object.assign(one, { op: 'code', code: { language: 'javascript', source: '(args) => {\n  return 1 +;\n}' } });
      },
      'bad_code',
      /line 2/,
    ],
    [
      'a reserved tool name',
      'billing',
      (data: never) => {
        const { tools } = data as { tools: Any };
        tools.Reset = tools.get_invoice;
        delete tools.get_invoice;
      },
      'bad_tool_name',
      /gym/,
    ],
    [
      'two names apart by case',
      'billing',
      (data: never) => {
        const { tools } = data as { tools: Any };
        tools.Get_Invoice = { ...(tools.get_invoice as Any), id: 'invoice.get2' };
      },
      'bad_tool_name',
      /apart from its case/,
    ],
    [
      'one id twice',
      'billing',
      (data) => {
        tool(data, 'get_invoice').id = 'invoice.list';
      },
      'bad_tool_name',
      /the id invoice.list/,
    ],
    [
      'a filter on no column',
      'billing',
      (data) => {
        (tool(data, 'list_invoices').args as Any).nope = { type: 'text', role: 'filter' };
      },
      'unknown_column',
      /no column nope/,
    ],
    [
      'two arguments at one place',
      'tickets',
      (data) => {
        (tool(data, 'findTickets').args as Any).other = { type: 'text', role: 'input', field: 'filter.state' };
      },
      'bad_field',
      /filter.state/,
    ],
    [
      'an argument inside another',
      'tickets',
      (data) => {
        (tool(data, 'findTickets').args as Any).other = { type: 'text', role: 'input', field: 'filter.state.x' };
      },
      'bad_field',
      /filter.state/,
    ],
    [
      'an argument too deep',
      'tickets',
      (data) => {
        (tool(data, 'findTickets').args as Any).other = { type: 'text', role: 'input', field: 'a.b.c.d' };
      },
      'bad_field',
      /deeper than 3/,
    ],
    [
      'a foreign key to no table',
      'billing',
      (data) => {
        (table(data, 'refund').cols.payment_id as Any).fk = 'nope';
      },
      'unknown_table',
      /nope/,
    ],
    [
      'a foreign key of another type',
      'tickets',
      (data) => {
        (table(data, 'ticket').cols.agent_id as Any).type = 'text';
      },
      'bad_column',
      /key of agent is int/,
    ],
    [
      'ids that do not fit the key',
      'tickets',
      (data) => {
        table(data, 'agent').key = { col: 'id', gen: { style: 'uuid' } };
      },
      'bad_column',
      /key of type text/,
    ],
    [
      'a machine with a stray state',
      'billing',
      (data) => {
        (table(data, 'invoice').machine as Any).initial = 'gone';
      },
      'bad_column',
      /gone/,
    ],
    [
      'a contract on no column',
      'billing',
      (data) => {
        tool(data, 'void_invoice').writes = [{ table: 'invoice', cols: ['nope'] }];
      },
      'unknown_column',
      /nope/,
    ],
  ];
  it.each(cases)('%s', (_, name, breaks, code, message) => {
    const error = broken(name, breaks);
    expect(error).toMatchObject({ code, fault: 'world', message: expect.stringMatching(message) });
    expect(typeof error?.value).toBe('string');
  });
});
