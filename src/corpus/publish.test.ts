import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scenarioOf } from '../../test/fixtures/scenario.js';
import { fixtureParts } from '../../test/fixtures/world.js';
import { toyTask } from '../../test/rollout/toy.js';
import type { Certificate } from '../artifacts/certificate.js';
import type { Scenario } from '../artifacts/scenario.js';
import type { Task } from '../artifacts/task.js';
import { event } from '../dynamics/event.fixture.js';
import type { TreadleError } from '../errors.js';
import { addressOf, canonicalJson, type Json } from '../kit/hash.js';
import { openRegistry, type Registry } from '../serve/registry/registry.js';
import { verifierOf } from '../serve/registry/verifier.js';
import { Engine } from '../world/state/engine.js';
import { Corpus, type WorldFiles } from './corpus.js';
import { publishCorpus } from './publish.js';
import { writeScenarios } from './scenarios.js';

let engine: Engine;
let standard: WorldFiles;
let dir: string;
let corpus: Corpus;
let registry: Registry;
const proof = (kind: Certificate['kind'], name: string, subject: string): Certificate => ({
  treadle: 'certificate/1',
  kind,
  subject,
  name,
  pass: true,
  findings: [],
});
/** A corpus as `treadle build` leaves one: certificates name the addresses. */
const world = (id: string, seed = 's', title?: string): WorldFiles => {
  const services = standard.services.map((spec) =>
    title !== undefined && spec.id === 'billing' ? { ...spec, title } : spec,
  );
  const hashes = new Map(services.map((spec) => [spec.id, addressOf(spec)]));
  const refs = standard.world.services.map((ref) => ({ ...ref, hash: hashes.get(ref.id) ?? ref.hash }));
  const spec = { ...standard.world, id, seed, services: refs };
  return { ...standard, services, world: spec, certificates: { world: proof('world', id, addressOf(spec)) } };
};
const writeTasks = (id: string, ...tasks: Task[]): void =>
  corpus.writeTasks(id, {
    tasks,
    certificates: Object.fromEntries(tasks.map((task) => [task.id, proof('task', task.id, addressOf(task))])),
    dropped: [],
  });

beforeAll(async () => {
  engine = await Engine.start();
  standard = { ...fixtureParts(engine, { only: ['billing', 'directory'] }), certificates: {} };
});
afterAll(() => engine.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-corpus-'));
  corpus = Corpus.open(dir, true);
  registry = openRegistry();
  corpus.writeWorld(world('one'));
  corpus.writeWorld(world('two', 's', 'Two'));
  writeTasks('one', toyTask(1), toyTask(2));
  writeTasks('two', toyTask(2), toyTask(3));
});
afterEach(() => {
  registry.close();
  rmSync(dir, { recursive: true, force: true });
});
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'nothing thrown';
  } catch (thrown) {
    return (thrown as TreadleError).code;
  }
};
const versions = (): string[] =>
  (['world', 'service', 'task', 'verifier'] as const).flatMap((kind) =>
    registry.list(kind).map(({ name, version }) => `${kind} ${name}@${version}`),
  );

describe('scenarios', () => {
  const scenarioFile = (id: string): string => join(dir, 'worlds', 'one', 'scenarios', `${id}.json`);
  const write = (...ids: string[]): Scenario[] => {
    const scenarios = ids.map((id) => scenarioOf(toyTask(1), [event('a')], { id, worldId: 'one' }));
    writeScenarios(corpus, 'one', {
      settings: { seed: '1', perTask: 2, most: 1 },
      tasks: { [toyTask(1).id]: addressOf(toyTask(1)) },
      candidates: 2,
      scenarios: scenarios.map((scenario) => ({
        scenario,
        certificate: proof('scenario', scenario.id, addressOf(scenario)),
      })),
      refused: [],
    });
    return scenarios;
  };

  it('are published unread beside the tasks, under their world’s name', () => {
    const [first, second] = write('void-1-e1', 'void-1-e2');
    rmSync(scenarioFile('void-1-e2'));
    expect(publishCorpus(registry, corpus).scenarios).toBe(2);
    expect(registry.list('scenario').map(({ name }) => name)).toEqual(['one/void-1-e1', 'one/void-1-e2']);
    expect(registry.read('scenario', 'void-1-e1')).toEqual(first);
    expect(registry.resolve('scenario', addressOf(second)).version).toBe(1);
    expect(codeOf(() => registry.read('scenario', 'void-1-e2'))).toBe('missing_file');
  });

  it('that somebody edited, or of another version, are refused by who reads them', () => {
    const [first] = write('void-1-e1', 'void-1-e2');
    writeFileSync(scenarioFile('void-1-e1'), JSON.stringify({ ...first, seed: 'other' }));
    publishCorpus(registry, corpus);
    expect(codeOf(() => registry.read('scenario', 'void-1-e1'))).toBe('changed_content');
    // One that its list still means, as a later version of Treadle may have written it.
    const later = { ...first, treadle: 'scenario/2' };
    const index = join(dir, 'worlds', 'one', 'scenarios', 'index.json');
    writeFileSync(index, readFileSync(index, 'utf8').replace(addressOf(first), addressOf(later as unknown as Json)));
    writeFileSync(scenarioFile('void-1-e1'), JSON.stringify(later));
    publishCorpus(registry, corpus);
    expect(codeOf(() => registry.read('scenario', 'void-1-e1'))).toBe('other_version');
  });
});

describe('a published corpus', () => {
  it('has every record under its name', () => {
    const { source, idOf: _, ...counts } = publishCorpus(registry, corpus);
    expect(counts).toEqual({ worlds: 2, services: 4, tasks: 4, verifiers: 4, scenarios: 0 });
    const { hash } = registry.resolve('world', 'one');
    expect(hash).toBe(addressOf(world('one').world));
    expect(registry.read('world', 'one')).toEqual(world('one').world);
    expect(source.partsOf(hash).images).toEqual(standard.images);
    expect(registry.read('service', 'two/billing')).toMatchObject({ id: 'billing', title: 'Two' });
    const [first] = [toyTask(1)];
    expect(registry.resolve('task', first.id)).toMatchObject({ name: `one/${first.id}`, hash: addressOf(first) });
    expect(registry.read('task', `one/${first.id}`)).toEqual(first);
    expect(codeOf(() => registry.resolve('task', toyTask(2).id))).toBe('ambiguous');
    expect(codeOf(() => registry.resolve('verifier', toyTask(2).id))).toBe('ambiguous');
    expect(registry.read('verifier', first.id)).toEqual(verifierOf(first));
    expect(codeOf(() => source.partsOf('a'.repeat(64)))).toBe('unknown_world');
  });

  it('is not read: files that make no sense hinder nobody but who asks for them', () => {
    for (const file of ['services/billing.json', `tasks/${toyTask(1).id}.yaml`, 'data/billing.sqlite', 'snapshot.yaml'])
      writeFileSync(join(dir, 'worlds', 'one', file), '{');
    const { source } = publishCorpus(registry, corpus);
    expect(codeOf(() => registry.read('service', 'one/billing'))).toBe('unreadable_file');
    expect(codeOf(() => registry.read('task', toyTask(1).id))).toBe('unreadable_file');
    expect(codeOf(() => registry.resolve('verifier', toyTask(1).id))).toBe('unreadable_file');
    expect(codeOf(() => source.partsOf(registry.resolve('world', 'one').hash))).toBe('unreadable_file');
    expect(source.partsOf(registry.resolve('world', 'two').hash).world.id).toBe('two');
    expect(registry.read('task', toyTask(3).id)).toEqual(toyTask(3));
  });

  it('published again says nothing new', () => {
    publishCorpus(registry, corpus);
    registry.resolve('verifier', toyTask(1).id);
    const before = versions();
    publishCorpus(registry, corpus);
    registry.resolve('verifier', toyTask(1).id);
    expect(versions()).toEqual(before);
  });

  it('rebuilt in place gives version 2 of what changed only', () => {
    publishCorpus(registry, corpus);
    for (const { name } of registry.list('task')) registry.resolve('verifier', name);
    corpus.writeWorld(world('two', 's', 'Invoices'));
    const changed = { ...toyTask(3), brief: 'another brief' };
    writeTasks('two', toyTask(2), changed);
    const { source } = publishCorpus(registry, corpus);
    for (const { name } of registry.list('task')) registry.resolve('verifier', name);
    const second = versions().filter((line) => line.endsWith('@2'));
    expect(second).toEqual(['world two@2', 'service two/billing@2', `task two/${changed.id}@2`]);
    expect(source.partsOf(registry.resolve('world', 'two').hash).world).toEqual(world('two', 's', 'Invoices').world);
    expect(registry.read('task', changed.id)).toEqual(changed);
    expect(codeOf(() => registry.read('task', `two/${changed.id}@1`))).toBe('changed_content');
    expect(codeOf(() => source.partsOf(registry.resolve('world', 'two@1').hash))).toBe('changed_content');
  });

  it('rebuilt while it is served is told, and never mistaken', () => {
    const { source } = publishCorpus(registry, corpus);
    const { hash } = registry.resolve('world', 'one');
    corpus.writeWorld(world('one', 'another seed'));
    writeTasks('one', { ...toyTask(1), answer: undefined } as Task);
    expect(codeOf(() => registry.resolve('verifier', toyTask(1).id))).toBe('changed_content');
    expect(codeOf(() => source.partsOf(hash))).toBe('changed_content');
    expect(codeOf(() => registry.read('world', 'one'))).toBe('changed_content');
  });

  it('does not take back what others published since, also over a restart', () => {
    const folder = join(dir, 'registry');
    const better = { ...verifierOf(toyTask(1)), answer: undefined };
    const content = JSON.parse(JSON.stringify(better)) as never;
    const name = `one/${toyTask(1).id}`;
    let durable = openRegistry({ folder });
    publishCorpus(durable, corpus);
    expect(durable.publish('verifier', name, content).version).toBe(2);
    durable.publish('task', name, toyTask(9) as never);
    durable.deprecate('world', 'two', 'flawed');
    durable.close();
    durable = openRegistry({ folder });
    publishCorpus(durable, corpus);
    expect(durable.resolve('verifier', name).version).toBe(2);
    expect(durable.read('verifier', `${name}@1`)).toEqual(verifierOf(toyTask(1)));
    expect(durable.read('task', name)).toEqual(toyTask(9));
    expect(durable.read('task', `${name}@1`)).toEqual(toyTask(1));
    expect(codeOf(() => durable.resolve('world', 'two'))).toBe('all_deprecated');
    durable.close();
  });

  it('keeps what was used of it where the registry has a folder', () => {
    const durable = openRegistry({ folder: join(dir, 'registry') });
    publishCorpus(durable, corpus);
    const { hash } = durable.resolve('task', toyTask(1).id);
    const kept = join(dir, 'registry', 'contents', hash.slice(0, 2), hash);
    durable.read('task', toyTask(1).id);
    writeFileSync(kept, 'damaged');
    expect(durable.read('task', toyTask(1).id)).toEqual(toyTask(1));
    expect(readFileSync(kept, 'utf8')).toBe(canonicalJson(toyTask(1)));
    writeTasks('one', { ...toyTask(1), brief: 'another' });
    writeTasks('two', { ...toyTask(3), brief: 'another' });
    publishCorpus(durable, corpus);
    expect(durable.read('task', `one/${toyTask(1).id}@1`)).toEqual(toyTask(1));
    expect(codeOf(() => durable.read('task', `two/${toyTask(3).id}@1`))).toBe('changed_content');
    durable.close();
  });

  it.each<[string, (file: string) => void]>([
    ['has no certificate', () => rmSync(join(dir, 'worlds', 'one', 'certificates', 'world.json'))],
    ['is written as JSON is', (file) => writeFileSync(file, `# by hand\n${JSON.stringify(world('one').world)}`)],
    [
      'quotes its hashes and turns their order about',
      (file) => {
        const text = readFileSync(file, 'utf8');
        const turned = text.replaceAll(/^ {2}- id: (\w+)\n {4}hash: (\w+)$/gm, '  - hash: "$2"\n    id: $1');
        expect(turned).not.toBe(text);
        writeFileSync(file, turned);
      },
    ],
    [
      'speaks of services in its brief',
      (file) => {
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, text.replace('seed: s', 'seed: "s"').replace(/^links:/m, '# services:\nlinks:'));
      },
    ],
  ])('takes a world that %s', (_, change) => {
    change(join(dir, 'worlds', 'one', 'world.yaml'));
    publishCorpus(registry, corpus);
    expect(registry.resolve('world', 'one').hash).toBe(addressOf(world('one').world));
    expect(registry.list('service', 'one/billing').length).toBe(1);
    expect(registry.list('service', 'one/directory').length).toBe(1);
    expect(registry.read('service', 'one/billing')).toEqual(standard.services.find(({ id }) => id === 'billing'));
  });

  it('may be empty, or hold a world without tasks', () => {
    rmSync(join(dir, 'worlds', 'one', 'tasks'), { recursive: true });
    expect(publishCorpus(registry, corpus)).toMatchObject({ worlds: 2, tasks: 2 });
    rmSync(join(dir, 'worlds'), { recursive: true });
    expect(publishCorpus(openRegistry(), corpus)).toMatchObject({ worlds: 0, services: 0, tasks: 0, verifiers: 0 });
  });
});
