import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import { canonicalJson } from '../../kit/hash.js';
import type { Row } from '../state/types.js';
import { zoneOffset } from './places.js';
import { company, desk, directory, messy, sales, service } from './seed.fixture.js';
import { type SeedContext, type Seeded, seedWorld } from './seed.js';
import { compileSql, holdsCheck } from './sql-expression.js';

const clock = Date.UTC(2024, 4, 15, 10) / 1000;
const link = (from: string, to: string): SeedContext['links'][number] => {
  const [a = [], b = []] = [from.split('.'), to.split('.')];
  return {
    id: a.join('_'),
    from: { service: a[0]!, table: a[1]!, col: a[2]! },
    to: { service: b[0]!, table: b[1]!, col: b[2]! },
    says: '',
  };
};
const context: SeedContext = {
  company,
  clock,
  seed: 'test/1',
  links: [
    link('sales.customer.owner_email', 'directory.employee.email'),
    link('desk.ticket.assignee_email', 'directory.employee.email'),
    link('desk.ticket.invoice_no', 'sales.invoice.invoice_no'),
  ],
  invariants: [],
};
const services = [sales, desk, directory];
const seeded = seedWorld(services, context);
const rowsOf = (spec: string, table: string): Row[] => seeded.rows[spec]?.[table] ?? [];

/** What SQLite would refuse. */
const breaches = (specs: readonly ServiceSpec[], { rows }: Seeded): string[] => {
  const out: string[] = [];
  for (const spec of specs)
    for (const [name, table] of Object.entries(spec.tables)) {
      const list = rows[spec.id]?.[name] ?? [];
      const sets = [
        [table.key.col],
        ...Object.entries(table.cols).flatMap(([col, { unique }]) => (unique ? [[col]] : [])),
        ...(table.unique ?? []),
      ];
      for (const set of sets) {
        const keys = list
          .filter((row) => set.every((col) => row[col] !== null))
          .map((row) => JSON.stringify(set.map((col) => row[col])));
        if (new Set(keys).size !== keys.length) out.push(`${name}: ${set} is not unique`);
      }
      for (const [col, column] of Object.entries(table.cols))
        for (const row of list) {
          const value = row[col];
          const at = `${name}.${col} = ${JSON.stringify(value)}`;
          if (value === undefined) out.push(`${at} is missing`);
          if (value === null) {
            if (column.required || col === table.key.col) out.push(`${at} is null`);
            continue;
          }
          const number = !['text', 'json'].includes(column.type);
          if (typeof value !== (number ? 'number' : 'string')) out.push(`${at} has the wrong type`);
          if (column.type !== 'number' && number && !Number.isSafeInteger(value)) out.push(`${at} is not whole`);
          if (column.enum && !column.enum.includes(String(value))) out.push(`${at} is not in the enum`);
          if (column.type === 'text' && column.maxLength && String(value).length > column.maxLength)
            out.push(`${at} is too long`);
          if (column.min !== undefined && number && (value as number) < column.min) out.push(`${at} is too small`);
          if (column.max !== undefined && number && (value as number) > column.max) out.push(`${at} is too large`);
          if (column.type === 'date' && (value as number) % 86_400 !== 0) out.push(`${at} is no day`);
          if (column.type === 'json') JSON.parse(String(value));
          if (
            column.fk &&
            !rows[spec.id]?.[column.fk]?.some((other) => other[spec.tables[column.fk as string]!.key.col] === value)
          )
            out.push(`${at} points nowhere`);
        }
      for (const check of table.check ?? [])
        for (const row of list) if (!holdsCheck(compileSql(check)!, row)) out.push(`${name}: ${check} fails`);
    }
  return out;
};

describe('seedWorld', () => {
  it('gives the same bytes for the same seed and others for another', () => {
    expect(canonicalJson(seedWorld(services, context))).toBe(canonicalJson(seeded));
    expect(canonicalJson(seedWorld(services, { ...context, seed: 'test/2' }).rows)).not.toBe(
      canonicalJson(seeded.rows),
    );
  });

  it('does not depend on which worlds were seeded before', () => {
    // Clocks on both sides of a change of summer time, in both orders.
    const at = [Date.UTC(2024, 9, 20), Date.UTC(2024, 9, 30)].map((ms) => ms / 1000);
    const one = (clock: number, seed: string) => canonicalJson(seedWorld(services, { ...context, clock, seed }).rows);
    const forth = at.map((each) => one(each, 'order'));
    const back = [...at].reverse().map((each) => one(each, 'order'));
    expect(back.reverse()).toEqual(forth);
    expect(zoneOffset('Pacific/Auckland', at[0]!)).toBe(zoneOffset('Pacific/Auckland', at[0]! + 5 * 86_400));
  });

  it('keeps every constraint', () => {
    expect(breaches(services, seeded)).toEqual([]);
  });

  it('counts ids and running numbers', () => {
    for (const spec of services)
      for (const name of Object.keys(spec.tables))
        expect(seeded.counters[spec.id]?.[name]).toBeGreaterThanOrEqual(rowsOf(spec.id, name).length);
    const last = rowsOf('sales', 'invoice').at(-1)?.invoice_no;
    expect(last).toBe(`INV-${seeded.counters.sales?.['invoice.invoice_no']}`);
  });

  it('makes numbers rise with time and rows come after their parents', () => {
    const invoices = rowsOf('sales', 'invoice');
    const numbers = invoices.map(({ invoice_no }) => Number(String(invoice_no).slice(4)));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const times = invoices.map(({ created_at }) => Number(created_at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const { created_at, updated_at } of invoices)
      expect(Number(updated_at)).toBeGreaterThanOrEqual(Number(created_at));
    expect(Math.max(...times)).toBeLessThanOrEqual(clock);
  });

  it('adds up lines, tax, discount and total', () => {
    for (const invoice of rowsOf('sales', 'invoice')) {
      const lines = rowsOf('sales', 'invoice_line').filter(({ invoice_id }) => invoice_id === invoice.id);
      expect(lines.length).toBe(invoice.line_count);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line.line_total).toBe(Number(line.quantity) * Number(line.unit_price));
      expect(lines.map(({ line_number }) => line_number)).toEqual(lines.map((_, i) => i + 1));
      expect(invoice.subtotal).toBe(lines.reduce((sum, { line_total }) => sum + Number(line_total), 0));
      expect(invoice.total).toBe(Number(invoice.subtotal) - Number(invoice.discount) + Number(invoice.tax_amount));
    }
  });

  it('copies a line price from its product', () => {
    for (const line of rowsOf('sales', 'invoice_line'))
      expect(line.unit_price).toBe(rowsOf('sales', 'product').find(({ id }) => id === line.product_id)?.unit_price);
  });

  it('sets stamps exactly when the status says so, and what only a verb writes with it', () => {
    for (const { status, issued_at, paid_at, voided_at, void_reason, amount_paid, total, created_at } of rowsOf(
      'sales',
      'invoice',
    )) {
      expect(paid_at !== null).toBe(status === 'paid');
      expect(voided_at !== null).toBe(status === 'void');
      expect(void_reason !== null).toBe(status === 'void');
      if (status === 'paid' || status === 'issued')
        expect(Number(issued_at)).toBeGreaterThanOrEqual(Number(created_at));
      if (status === 'draft') expect(issued_at).toBeNull();
      if (status === 'paid') expect(amount_paid).toBe(total);
      if (status === 'draft' || status === 'void') expect(amount_paid).toBe(0);
    }
  });

  it('holds every state that a verb speaks of at least twice', () => {
    for (const [spec, name, states] of [
      ['sales', 'invoice', ['draft', 'issued', 'paid', 'void']],
      ['desk', 'ticket', ['open', 'resolved']],
    ] as const)
      for (const state of states)
        expect(rowsOf(spec, name).filter(({ status }) => status === state).length).toBeGreaterThanOrEqual(2);
  });

  it('lets a payment belong to the customer of its invoice', () => {
    for (const payment of rowsOf('sales', 'payment'))
      expect(rowsOf('sales', 'invoice').find(({ id }) => id === payment.invoice_id)?.customer_id).toBe(
        payment.customer_id,
      );
  });

  it('makes a staff tree with one head, work addresses and managers hired before their people', () => {
    const people = rowsOf('directory', 'employee');
    const byId = new Map(people.map((row) => [row.id, row]));
    expect(people.filter(({ manager_id }) => manager_id === null)).toHaveLength(1);
    for (const person of people) {
      expect(person.email).toMatch(/^[a-z0-9.]+@brinkhof\.example$/);
      const boss = byId.get(person.manager_id ?? '');
      if (boss) {
        expect(Number(boss.hired_on)).toBeLessThanOrEqual(Number(person.hired_on));
        expect(boss.status).not.toBe('left');
      }
    }
    expect(new Set(people.map(({ name }) => name)).size).toBe(people.length);
  });

  it('draws linked columns from the other side: active colleagues and real numbers', () => {
    const active = new Set(
      rowsOf('directory', 'employee').flatMap(({ status, email }) => (status === 'active' ? [email] : [])),
    );
    for (const { owner_email } of rowsOf('sales', 'customer')) expect(active.has(owner_email!)).toBe(true);
    const numbers = new Set(rowsOf('sales', 'invoice').map(({ invoice_no }) => invoice_no));
    const said = rowsOf('desk', 'ticket').filter(({ invoice_no }) => invoice_no !== null);
    expect(said.length).toBeGreaterThan(rowsOf('desk', 'ticket').length / 2);
    for (const { invoice_no } of said) expect(numbers.has(invoice_no!)).toBe(true);
  });

  it('writes addresses under .example, phones of the country, prices in cents', () => {
    for (const { email, country, phone } of rowsOf('sales', 'customer')) {
      expect(email).toMatch(/@[a-z0-9.-]+\.example$/);
      if (country !== null) expect(country).toMatch(/^[A-Z]{2}$/);
      if (phone !== null) expect(phone).toMatch(/^\+\d{9,15}$/);
      if (country === 'NL' && phone !== null) expect(phone).toMatch(/^\+31/);
    }
    for (const { unit_price } of rowsOf('sales', 'product'))
      expect(Number(unit_price) % 100).toSatisfy((cents: number) => [0, 50, 75, 90, 99].includes(cents));
  });

  it('plans near-duplicates and skewed parents', () => {
    const firsts = rowsOf('sales', 'customer').map(({ name }) => String(name).split(' ')[0]);
    expect(new Set(firsts).size).toBeLessThan(firsts.length);
    const counts = new Map<unknown, number>();
    for (const { customer_id } of rowsOf('sales', 'invoice'))
      counts.set(customer_id, (counts.get(customer_id) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeGreaterThan(
      (2 * rowsOf('sales', 'invoice').length) / rowsOf('sales', 'customer').length,
    );
  });

  it('keeps spare rows out of the data, unique against it', () => {
    for (const spec of services)
      for (const [name, table] of Object.entries(spec.tables))
        for (const spare of seeded.spares[spec.id]?.[name] ?? []) {
          expect(spare).not.toHaveProperty(table.key.col);
          for (const [col, { unique }] of Object.entries(table.cols))
            if (unique) expect(rowsOf(spec.id, name).some((row) => row[col] === spare[col])).toBe(false);
        }
  });

  it('writes sentences that name the row`s things, within the length', () => {
    const subjects = rowsOf('desk', 'ticket').map(({ subject }) => String(subject));
    expect(new Set(subjects).size).toBeGreaterThan(subjects.length * 0.6);
    for (const subject of subjects) expect(subject).not.toMatch(/[{}]|lorem|undefined|null/i);
    expect(subjects.some((subject) => /INV-\d+/.test(subject))).toBe(true);
  });

  it('uses given employees when the directory is not among the services', () => {
    const employees: Row[] = [
      { id: 'e1', name: 'Ines Brandt', email: 'ines.brandt@brinkhof.example', status: 'active' },
    ];
    const alone = seedWorld([desk], { ...context, links: [], employees });
    for (const { assignee_email } of alone.rows.desk?.ticket ?? [])
      expect(assignee_email).toBe('ines.brandt@brinkhof.example');
  });
});

describe('seedWorld on odd specs', () => {
  it('fills a messy service', () => {
    const out = seedWorld([messy], { ...context, links: [] });
    expect(breaches([messy], out)).toEqual([]);
    const things = out.rows.messy?.thing ?? [];
    expect(things.length).toBeGreaterThan(0);
    expect(things.length).toBeLessThanOrEqual(9); // the unique pair of two small enums has room for nine
    for (const thing of things) {
      expect(thing.post_code).toMatch(/^\d{5}$/);
      expect(thing.hex).toMatch(/^#[0-9a-f]{6}$/);
      expect(thing.impossible).toBeNull();
      expect(thing.created).toBeGreaterThan(1_500_000_000);
      expect(thing.last_modified).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(thing.uuid).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(out.rows.messy?.loop_a?.length).toBeGreaterThan(0);
  });

  it('accepts no services, no tables, no rows', () => {
    expect(seedWorld([], { ...context, links: [] })).toEqual({ rows: {}, counters: {}, spares: {} });
    expect(seedWorld([service('empty', {})], { ...context, links: [] }).rows).toEqual({ empty: {} });
    const none = service('none', {
      a: {
        noun: 'a',
        key: { col: 'id', gen: { style: 'uuid' } },
        rows: 0,
        cols: { id: { type: 'text', required: true } },
      },
    });
    expect(seedWorld([none], { ...context, links: [] }).rows.none?.a).toEqual([]);
  });

  it('makes an invariant true and gives it a trigger', () => {
    const invariant: SeedContext['invariants'][number] = {
      id: 'paid_has_no_open_ticket',
      says: 'A paid invoice has no open ticket.',
      trigger: { service: 'sales', table: 'invoice', where: "t.status = 'paid' and t.total > 0" },
      target: { service: 'desk', table: 'ticket', expect: 'none', where: "x.status = 'open'" },
      key: { trigger: 'invoice_no', target: 'invoice_no' },
      violatedBy: 'sales.invoice.pay',
      repairedBy: 'desk.ticket.resolve',
    };
    const out = seedWorld(services, { ...context, invariants: [invariant] });
    expect(breaches(services, out)).toEqual([]);
    const paid = (out.rows.sales?.invoice ?? [])
      .filter(({ status }) => status === 'paid')
      .map(({ invoice_no }) => invoice_no);
    expect(paid.length).toBeGreaterThan(0);
    for (const ticket of out.rows.desk?.ticket ?? [])
      if (paid.includes(ticket.invoice_no ?? '')) expect(ticket.status).toBe('resolved');
  });

  const names = fc.constantFrom(
    'name',
    'status',
    'created',
    'amount',
    'email',
    'customer_id',
    'phone_number',
    'x1',
    'paid_at',
    'tags',
    'is_open',
    'zip',
    'count',
    'url',
    'due_on',
    'title',
    'currency',
    'start_date',
    'end_date',
    'quantity',
    'order_no',
    'percent',
    'notes',
    'lat',
    'iban',
    'code',
  );
  const column: fc.Arbitrary<Column> = fc.record(
    {
      type: fc.constantFrom('text', 'int', 'number', 'bool', 'date', 'datetime', 'money', 'json'),
      required: fc.boolean(),
      unique: fc.boolean(),
      maxLength: fc.integer({ min: 1, max: 40 }),
      format: fc.constantFrom('email', 'uri', 'uuid', 'date', 'date-time', 'weird'),
      seed: fc.constantFrom('email', 'nonsense', 'stamp', 'total', 'kind'),
    },
    { requiredKeys: ['type'] },
  );
  const table: fc.Arbitrary<Table> = fc
    .record({
      noun: fc.constantFrom('order', 'contact', 'line item', 'a', 'account', 'x y z', 'payment'),
      cols: fc.dictionary(names, column, { maxKeys: 10 }),
      rows: fc.integer({ min: 0, max: 12 }),
    })
    .map(({ noun, cols, rows }) => ({
      noun,
      rows,
      key: { col: 'id', gen: { style: 'base36' as const, length: 8 } },
      cols: { id: { type: 'text' as const, required: true }, ...cols },
    }));

  it('never throws and keeps constraints on random tables with random references', () => {
    fc.assert(
      fc.property(
        fc.array(table, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.boolean(), fc.boolean()), { maxLength: 5 }),
        fc.nat(),
        (tables, fks, seed) => {
          const spec = service('random', Object.fromEntries(tables.map((each, i) => [`t${i}`, each])));
          fks.forEach(([from, to, required, unique], i) => {
            const target = `t${to % tables.length}`;
            // A required reference to one's own or a later table may leave no row possible, which is right: only emptiness is checked then.
            spec.tables[`t${from % tables.length}`]!.cols[`ref_${i}`] = {
              type: 'text',
              fk: target,
              required: required && from % tables.length > to % tables.length,
              unique,
            };
          });
          expect(breaches([spec], seedWorld([spec], { ...context, links: [], seed: String(seed) }))).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});
