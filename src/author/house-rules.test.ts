/** What ties a service of a document to the company core. */
import { describe, expect, it } from 'vitest';
import { ServiceSpec } from '../artifacts/service.js';
import { coreServices } from './core/services.js';
import { neutralSurface } from './dialects/neutral.js';
import { recordRule, referTo, staffLinks, staffRule, stateRule, writtenRule } from './house-rules.js';

const company = {
  name: 'Tied',
  legalName: 'Tied Ltd',
  domain: 'tied.example',
  about: '',
  country: 'GB',
  city: 'Leeds',
  timezone: 'Europe/London',
  currency: 'GBP',
  locale: 'en_GB',
  industry: { naics: '541511', title: 'Software' },
  employees: 20,
  founded: 2001,
};
const mail = coreServices(company).find(({ id }) => id === 'mail') as ServiceSpec;

type Tools = ServiceSpec['tools'];
const tool = (
  op: 'list' | 'create' | 'update' | 'delete' | 'get',
  table: string,
  args: Tools[string]['args'] = {},
): Tools[string] => ({
  id: `${table}.${op}`,
  op,
  table,
  description: `${op} it`,
  args,
  reads: [table],
  writes: [],
  provenance: { tier: 'spec' },
});
const spec = (noun: string, cols: ServiceSpec['tables'][string]['cols'], tools: Tools): ServiceSpec => ({
  treadle: 'service/1',
  id: 'desk',
  title: 'Desk',
  description: 'A desk.',
  source: { kind: 'openapi', ref: 'desk' },
  tables: {
    thing: { noun, description: '', key: { col: 'id' }, cols: { id: { type: 'int', required: true }, ...cols } },
  },
  tools,
  surface: neutralSurface('GBP'),
});

const email = { type: 'text', required: true, format: 'email' } as const;
const setEmail = { email: { type: 'text', role: 'set', required: true } } as const;

describe('staff', () => {
  it('is tied by the address of users, and may not have left', () => {
    const users = spec('user', { email }, { a: tool('create', 'thing', setEmail), b: tool('delete', 'thing') });
    const [link] = staffLinks(users);
    expect(link).toMatchObject({
      from: { service: 'desk', table: 'thing', col: 'email' },
      to: { service: 'directory' },
    });
    expect(link && staffRule(users, link)).toMatchObject({
      says: 'Nobody who has left the company is among the users of Desk.',
      violatedBy: 'desk.thing.create',
      repairedBy: 'desk.thing.delete',
    });
  });
  it('is not tied by the address of a customer, nor ruled where no tool could mend', () => {
    expect(staffLinks(spec('customer', { email }, {}))).toEqual([]);
    const stuck = spec('user', { email }, { a: tool('create', 'thing', setEmail) });
    const [link] = staffLinks(stuck);
    expect(link && staffRule(stuck, link)).toBeUndefined();
  });
});

describe('records', () => {
  const made = { created_at: { type: 'datetime', required: true, auto: 'now' } } as const;
  it('are named by mail, in a field that the mail tools take', () => {
    const desk = spec('ticket', made, { a: tool('create', 'thing'), b: tool('list', 'thing') });
    const reference = referTo(mail, desk);
    expect(reference?.link.from).toEqual({ service: 'mail', table: 'message', col: 'ticket_ref' });
    expect(ServiceSpec.parse(reference?.mail).tools.message_send?.args.ticket_ref).toMatchObject({
      type: 'int',
      role: 'set',
    });
    expect(mail.tables.message?.cols.ticket_ref).toBeUndefined();
    expect(reference && recordRule(desk, reference.link, 1_000)).toMatchObject({
      trigger: { where: 't.created_at >= 1000' },
      violatedBy: 'desk.thing.create',
      repairedBy: 'mail.message.send',
    });
  });
  it('of two services with one noun get a field each', () => {
    const desk = spec('ticket', made, { a: tool('list', 'thing') });
    const first = referTo(mail, desk);
    const second = first && referTo(first.mail, { ...desk, id: 'other' });
    expect(second?.link.from.col).toBe('ticket_ref_other');
    expect(Object.keys(second?.mail.tables.message?.cols ?? {})).toEqual(
      expect.arrayContaining(['ticket_ref', 'ticket_ref_other']),
    );
  });
  it('have no rule where none can be made or nothing tells when', () => {
    const still = spec('ticket', made, { a: tool('list', 'thing') });
    const timeless = spec('ticket', {}, { a: tool('create', 'thing') });
    for (const each of [still, timeless]) {
      const reference = referTo(mail, each);
      expect(reference && recordRule(each, reference.link, 0)).toBeUndefined();
    }
    expect(referTo(mail, spec('ticket', made, {}))).toBeUndefined();
  });
});

describe('states', () => {
  const status: ServiceSpec['tables'][string]['cols'] = {
    status: { type: 'text', required: true, enum: ['new', 'held', 'done'], default: 'new' },
  };
  const link = {
    id: 'l',
    from: { service: 'mail', table: 'message', col: 'r' },
    to: { service: 'desk', table: 'thing', col: 'id' },
    says: '',
  };
  it('are told where an update sets them, and never the one that rows begin in', () => {
    const desk = spec('ticket', status, { a: tool('update', 'thing', { status: { type: 'text', role: 'set' } }) });
    expect(stateRule(desk, link)).toMatchObject({
      trigger: { where: "t.status = 'done'" },
      violatedBy: 'desk.thing.update',
    });
  });
  it('are those that an action speaks of', () => {
    const hold = {
      ...tool('get', 'thing'),
      op: 'action' as const,
      id: 'thing.hold',
      steps: [{ update: { table: 'thing', where: { id: '$args.id' }, set: { status: "'held'" } } }],
      writes: [{ table: 'thing', cols: ['status'] }],
    };
    expect(stateRule(spec('ticket', status, { hold }), link)?.trigger.where).toBe("t.status = 'held'");
  });
  it('are not ruled where nothing sets them', () => {
    expect(stateRule(spec('ticket', status, { a: tool('list', 'thing') }), link)).toBeUndefined();
    expect(stateRule(spec('ticket', {}, { a: tool('update', 'thing') }), link)).toBeUndefined();
  });
});

it('every company can put in writing what it says', () => {
  expect(writtenRule(77)).toMatchObject({
    trigger: { where: 't.posted_at >= 77' },
    key: { trigger: 'body', target: 'body' },
  });
});
