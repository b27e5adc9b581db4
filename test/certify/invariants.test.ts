/** Studies of invariants on the fixture world: many at once, the evidence replayed, and what hostile ones cost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invariant } from '../../src/artifacts/world.js';
import { certifyWorld, worldSubjectOf } from '../../src/certify/certify.js';
import { MOST_CALLS } from '../../src/certify/invariants/find.js';
import type { InvariantStudy } from '../../src/certify/invariants/study.js';
import { repairInvariants } from '../../src/certify/repair.js';
import { brokenRows } from '../../src/verify/invariants.js';
import { type LoadedWorld, loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { RULE, rule, type WholeChange, wholeParts } from './whole.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const worldWith = (invariants: Invariant[], change: WholeChange = {}): LoadedWorld =>
  loadWorld(engine, wholeParts(engine, { ...change, world: () => ({ invariants }) }));
const studied = (...invariants: Invariant[]): readonly InvariantStudy[] =>
  worldSubjectOf(worldWith(invariants), []).studies();

describe('a study', () => {
  it('keeps public calls that really break the rule and really mend it', () => {
    const world = worldWith([RULE]);
    const subject = worldSubjectOf(world, []);
    const [study] = subject.studies();
    expect(study?.fault).toBeUndefined();
    const session = subject.open();
    const broken = (): (string | number)[] =>
      brokenRows(
        world,
        RULE,
        Object.fromEntries([...world.services.keys()].map((id) => [id, session.view(id)])),
        session.clock,
      );
    expect(broken()).toEqual([]);
    for (const { tool, args } of study?.breaks ?? []) expect(session.call(tool, args).ok).toBe(true);
    expect(broken()).toEqual(study?.broken);
    expect(study?.broken?.length).toBeGreaterThan(0);
    for (const { tool, args } of study?.mends ?? []) expect(session.call(tool, args).ok).toBe(true);
    expect(broken()).toEqual([]);
    session.drop();
    expect(study?.breaks?.length).toBeLessThanOrEqual(MOST_CALLS);
  });
  it('is the same each time', () => {
    const [a, b] = [studied(RULE), studied(RULE)];
    expect(a).toEqual(b);
  });
  it('finds other tools when the named ones are not there', () => {
    const [study] = studied(rule({ violatedBy: 'tickets.nothing.at_all', repairedBy: 'nowhere' }));
    expect(study?.fault).toBeUndefined();
  });
  it('knows a rule that speaks of nothing yet and can be made to', () => {
    const [study] = studied(rule({ trigger: { ...RULE.trigger, where: "t.state = 'new' and t.score > 5000" } }));
    expect(study).toMatchObject({ fires: 0 });
    expect(study?.fault).toBeUndefined();
  });
  it('reads what the statement reads, database by database', () => {
    expect(studied(RULE)[0]?.reads).toEqual(['billing.customer', 'tickets.ticket']);
  });
});

describe('forty rules at once', () => {
  it('are each studied, and a certificate stays readable', () => {
    const many = Array.from({ length: 40 }, (_, i) =>
      rule({ id: `rule_${i}`, ...(i % 10 === 9 ? { target: { ...RULE.target, where: 'x.colour = 1' } } : {}) }),
    );
    const { certificate, studies } = certifyWorld(worldWith(many));
    expect(studies).toHaveLength(40);
    const failed = certificate.findings.filter(({ pass }) => !pass);
    expect(failed.map(({ id }) => id)).toEqual(['cross_service']);
    expect(certificate.findings.every(({ evidence }) => evidence.length <= 12)).toBe(true);
    expect(repairInvariants(studies)?.kept).toHaveLength(36);
    expect(repairInvariants(studies)?.dropped.map(({ invariant }) => invariant)).toEqual([
      'rule_9',
      'rule_19',
      'rule_29',
      'rule_39',
    ]);
  });
});

describe('conditions nobody would write', () => {
  it.each([
    ['a comment', "t.state = 'new' --"],
    ['an open quote', "t.state = 'new"],
    ['an open bracket', "(t.state = 'new'"],
    ['another statement', "t.state = 'new'); DROP TABLE tickets.ticket; --"],
    ['an attachment', "1); ATTACH 'x.db' AS y; SELECT (1"],
    ['a pragma', '(SELECT 1 FROM pragma_database_list)'],
    ['an extension', "load_extension('x')"],
    ['nothing', ''],
    ['a null byte', "t.state = '\0'"],
    ['a parameter', 't.score > ?'],
    ['a huge literal', `t.score > ${'9'.repeat(4_000)}`],
    ['deep nesting', `${'('.repeat(900)}1${')'.repeat(900)}`],
    ['a cross product', '(SELECT count(*) FROM ticket a, ticket b, ticket c, ticket d, ticket e, ticket f) > 0'],
    ['a schema table', '(SELECT count(*) FROM tickets.sqlite_master) > 0'],
    ['the canary of a template', '{{ t.state }} $& $1 %s'],
  ])('%s ends in a fault or a sound study, and leaves the world whole', (_, where) => {
    const world = worldWith([rule({ trigger: { ...RULE.trigger, where } })]);
    const subject = worldSubjectOf(world, []);
    const before = subject.open();
    const hash = before.hash();
    const [study] = subject.studies();
    if (study?.fault) expect(study.fault.line).not.toBe('');
    else expect(study?.mends).not.toBeUndefined();
    expect(before.hash()).toBe(hash);
    before.drop();
    for (const { pristine } of world.services.values()) expect(pristine.hash()).toBe(pristine.base.hash);
  });
});
