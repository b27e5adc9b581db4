/** The main proof: a small model that answers well writes a world that passes every validator and yields tasks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceSpec } from '../../src/artifacts/service.js';
import { WorldSpec } from '../../src/artifacts/world.js';
import { assembleWorld } from '../../src/author/assemble.js';
import { DIALECTS } from '../../src/author/dialects/dress.js';
import { certifyWorld } from '../../src/certify/certify.js';
import { addressOf } from '../../src/kit/hash.js';
import { generateTasks } from '../../src/tasks/generate.js';
import { loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { authorScripted, domainOf, engine, type Scripted, toolsOf } from './fixture.js';
import { good } from './scripted.js';

let made: Scripted;
beforeAll(async () => {
  made = await authorScripted(good);
});
afterAll(() => engine.close());

it('certifies by all validators, with one answer a part', () => {
  const { report, asked } = made;
  expect(report.outcome).toBe('certified');
  expect(report.ended).toBeUndefined();
  expect(report.certificate?.findings.filter(({ pass }) => !pass)).toEqual([]);
  expect(report.certificate?.findings.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'schema',
      'effects',
      'service_graph',
      'cross_service',
      'initially_true',
      'violable',
      'isolation',
    ]),
  );
  expect(asked.map(({ part }) => part)).toEqual([
    'plan',
    'tables of membership',
    'actions of membership: member, fee',
    'tables of lending',
    'actions of lending: tool_item, loan',
    'rules',
    'data of membership',
    'data of lending',
  ]);
  expect(report.services.map(({ kept, lost }) => [kept, lost])).toEqual([
    [true, []],
    [true, []],
  ]);
});

it('is the same world in every respect as any other author makes', () => {
  const built = assembleWorld(engine, made.draft);
  expect(WorldSpec.safeParse(built.world).success).toBe(true);
  const loaded = loadWorld(engine, built);
  expect(certifyWorld(loaded).certificate.pass).toBe(true);
  const { tasks } = generateTasks(loaded, { count: 4, seed: '1' });
  expect(tasks.length).toBeGreaterThan(0);
  unloadWorld(loaded);
});

it('holds what the model wrote, under ids, surfaces and provenance of ours', () => {
  const { draft } = made;
  expect(domainOf(made)).toEqual(['membership', 'lending']);
  expect(toolsOf(made, 'lending')).toEqual(
    expect.arrayContaining(['loan.create', 'loan.extend', 'loan.return_tool', 'tool_item.search']),
  );
  const lending = draft.services.at(-1)?.spec as ServiceSpec;
  expect(lending.source).toEqual({ kind: 'model', ref: 'small' });
  expect(Object.values(lending.tools).every(({ provenance }) => provenance.tier === 'synthetic')).toBe(true);
  expect(DIALECTS.some((id) => lending.surface.dialect.startsWith(id))).toBe(true);
  expect(lending.tables.loan?.rows).toBe(45);
  expect(draft.company).toMatchObject({ country: 'NL', city: 'Utrecht' });
  expect(draft.links.map(({ id }) => id)).toContain('lending_loan_member_no');
  expect(draft.policies.map(({ text }) => text)).toContain('A suspended member has no loan that is still out.');
  expect(draft.services.map(({ role }) => role)).toEqual(['core', 'core', 'core', 'domain', 'domain']);
});

it('keeps prompts short enough for small models, and asks by schema', () => {
  for (const { body } of made.asked) {
    expect(body.messages.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(6000);
    expect(body.response_format).toMatchObject({ type: 'json_schema', json_schema: { schema: { type: 'object' } } });
  }
});

it('the same seed and answers give the same draft, another seed another', async () => {
  const again = await authorScripted(good);
  expect(addressOf(again.draft)).toBe(addressOf(made.draft));
  const other = await authorScripted(good, { seed: '2' });
  expect(addressOf(other.draft)).not.toBe(addressOf(made.draft));
  expect(other.report.outcome).toBe('certified');
});
