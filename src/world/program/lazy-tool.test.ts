/** A tool compiled late is the tool compiled early: same schemas, version, outcomes and bytes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tool } from '../../../test/fixtures/broken.js';
import { serviceData, serviceFixture } from '../../../test/fixtures/services.js';
import { fixtureParts } from '../../../test/fixtures/world.js';
import { ServiceSpec } from '../../artifacts/service.js';
import { Session } from '../../serve/sessions/session.js';
import { loadWorld, unloadWorld } from '../loaded.js';
import { Engine } from '../state/engine.js';
import { compileService, openService } from './compile.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const me = { id: 'b', name: 'Bo', email: 'bo.lund@fixture.example' };

it.each(['billing', 'tickets'] as const)('%s looks the same', (name) => {
  const [early, late] = [compileService(serviceFixture(name)), openService(serviceFixture(name))];
  expect([late.hash, late.ddlKey, late.loadClass]).toEqual([early.hash, early.ddlKey, early.loadClass]);
  expect([...late.tools.keys()]).toEqual([...early.tools.keys()]);
  for (const [id, { inputSchema, outputSchema, version, readOnly, steps: own, loadClass }] of early.tools) {
    const other = late.tools.get(id);
    // Asked twice: before and after `readOnly` compiles it.
    for (let round = 0; round < 2; round++)
      expect([other?.inputSchema, other?.outputSchema, other?.version, other?.steps, other?.loadClass]).toEqual([
        inputSchema,
        outputSchema,
        version,
        own,
        loadClass,
      ]);
    expect(other?.readOnly).toBe(readOnly);
  }
});

it('sessions on it behave the same', () => {
  const parts = fixtureParts(engine);
  const worlds = [loadWorld(engine, parts), loadWorld(engine, parts, { lazy: true })];
  const [one, two] = worlds.map((world) => {
    const session = Session.open(world, { id: 's', me });
    for (const { name } of session.tools()) session.call(name, {});
    session.call('create_customer', { name: 'N', email: 'n@mail.example' });
    session.call('list_invoices', { status: ['draft'], limit: 3 });
    session.call('get_invoice', { invoice_id: 'nope' });
    const end = { ledger: session.ledger, hash: session.hash(), tools: session.tools().map((each) => ({ ...each })) };
    session.drop();
    return end;
  });
  expect(two).toEqual(one);
  worlds.forEach(unloadWorld);
});

describe('thousands of tools', () => {
  it('are let go and made again without a trace', () => {
    const parts = fixtureParts(engine);
    const world = loadWorld(engine, parts, { lazy: true });
    const session = Session.open(world, { id: 's', me });
    const first = session.call('list_invoices', { limit: 2 }).result;
    for (let n = 0; n < 200; n++) {
      const others = openService(serviceFixture(n % 2 ? 'billing' : 'tickets'));
      for (const each of others.tools.values()) void each.readOnly;
    }
    expect(session.call('list_invoices', { limit: 2 }).result).toEqual(first);
    session.drop();
    unloadWorld(world);
  });
});

it('steps that are no program are told when the tool is called, as the world’s fault, and the others work', () => {
  const parts = fixtureParts(engine, {
    service: (spec) => {
      if (spec.id !== 'billing') return spec;
      const data = serviceData('billing');
      const declared = tool(data, 'void_invoice') as { steps: object[] };
      declared.steps.push({ require: [{ that: 'no_such_name > 1', error: 'conflict' }] });
      return ServiceSpec.parse(data);
    },
  });
  const world = loadWorld(engine, parts, { lazy: true });
  const session = Session.open(world, { id: 's', me });
  const outcome = session.call('void_invoice', { invoice_id: 'x' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'internal_error', fault: 'world', status: 500 } });
  expect(session.call('list_invoices', {}).ok).toBe(true);
  expect(session.diff()).toEqual({});
  session.drop();
  unloadWorld(world);
});
