/** Scenarios in the report and in treadle stats: counted from lists and heads, outdated ones apart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHtml } from '../../../../test/e2e/tree.js';
import { toyHost, toyTask, toyVerdict } from '../../../../test/rollout/toy.js';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Trace } from '../../../artifacts/trace.js';
import { Corpus } from '../../../corpus/corpus.js';
import { writeScenarios } from '../../../corpus/scenarios.js';
import { event, needs, onCall } from '../../../dynamics/event.fixture.js';
import { addressOf } from '../../../kit/hash.js';
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { scenarioFacts } from '../../../rollout/outside.js';
import { rolloutTask } from '../../../rollout/rollout.js';
import { keepTraces, type Rolled } from '../../pipeline/rollouts.js';
import { gatherScenarios } from './gather.js';
import { scenarioRows } from './rows.js';
import { scenarioSection } from './section.js';

const HOSTILE = '<script>alert("x")</script>\u0000 & \'quoted\'';
const task = toyTask();
const hash = addressOf(task);

const scenarioOf = (nth: number, events: ScenarioEvent[], of = hash): Scenario => ({
  treadle: 'scenario/1',
  id: `toy-e${nth}`,
  task: of,
  taskId: task.id,
  world: task.world,
  worldId: 'toy',
  seed: '1',
  ...(nth === 1 ? { offersWait: true as const } : {}),
  events,
  reference: task.reference,
});
const FAULT = event('outage', {
  source: 'fault',
  ...onCall('list_invoices'),
  effect: { fault: { profile: 'P2', tool: 'get_invoice' } },
  notify: { to: 'none', discoverBy: ['get_invoice'] },
});
const SAID = event('said', { source: 'requirement', ...needs('outage'), notify: { to: 'user', text: 'No.' } });
const NEWS = event('news', {
  source: 'information',
  when: { random: { p: 0.5, from: 0, to: 9 } },
  effect: { publish: { service: 'billing', table: 'note', set: { id: 1 }, authoritative: false } },
});
const SCENARIOS = [scenarioOf(1, [FAULT, SAID]), scenarioOf(2, [NEWS]), scenarioOf(3, [FAULT], 'b'.repeat(64))];

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-scenarios-'));
  corpus = Corpus.open(dir, true);
  vi.spyOn(corpus, 'hasWorld').mockReturnValue(true);
  vi.spyOn(corpus, 'listTasks').mockReturnValue({ tasks: [{ id: task.id, hash }] } as never);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const keepScenarios = (): void =>
  writeScenarios(corpus, 'toy', {
    settings: { seed: '1', perTask: 3, most: 2 },
    tasks: { [task.id]: hash, other: 'c'.repeat(64) },
    candidates: 8,
    scenarios: SCENARIOS.map((scenario) => ({
      scenario,
      certificate: {
        treadle: 'certificate/1',
        kind: 'scenario',
        subject: hash,
        name: scenario.id,
        pass: true,
        findings: [],
      },
    })),
    refused: [
      { task: task.id, event: 'e', source: 'state', rule: 'matters', evidence: 'no' },
      { task: task.id, event: 'f', source: 'state', rule: HOSTILE, evidence: HOSTILE },
    ],
  });

let made = 0;
const rolled = async (scenario: Scenario | undefined, change: Partial<Trace> = {}, pass = true): Promise<Rolled> => {
  const policy = referencePolicy(task);
  const trace = await rolloutTask({ host: toyHost(), task, policy, sample: { seed: '1', index: made++ } });
  const scene = scenario && { scenario: scenarioFacts({ scenario, hash: addressOf(scenario) }) };
  const whole: Trace = { ...trace, ...scene, ...change };
  return { trace: whole, verdict: toyVerdict(whole, pass) };
};

describe('scenarios of a corpus', () => {
  it('are counted as the paper counts them', () => {
    expect(gatherScenarios(corpus, ['toy'])).toBeUndefined();
    keepScenarios();
    const { counts, outdated } = gatherScenarios(corpus, ['toy']) ?? {};
    expect(outdated).toBe(1);
    expect(counts).toMatchObject({
      worlds: 1,
      tasks: 2,
      dynamicTasks: 1,
      scenarios: 3,
      events: 4,
      sources: { fault: 2, requirement: 1, distractor: 1 },
      triggers: { after: 2, at: 1, random: 1 },
      told: { none: 2, environment: 1, user: 1 },
      profiles: { P2: 2 },
      eventsAScenario: { 1: 2, 2: 1 },
      depth: { 1: 2, 2: 1 },
      offersWait: 1,
      refusedShare: 0.25,
    });
  });

  it('say how rollouts did by who acted and source; what is here no more, cut or not in a scenario is in no rate', async () => {
    keepScenarios();
    const [both, news] = SCENARIOS;
    const model = { producer: { policy: 'model' as const, name: HOSTILE } };
    keepTraces(corpus, 'toy', [
      await rolled(both),
      await rolled(both, model),
      await rolled(both, model, false),
      await rolled(news, { ...model, finish: 'cut' }, false),
      await rolled(news, model),
      await rolled(scenarioOf(9, [NEWS])),
      await rolled(undefined),
    ]);
    const figures = gatherScenarios(corpus, ['toy']);
    if (!figures) throw new Error('none');
    expect(figures.rolled).toMatchObject({ rollouts: 5, outdated: 1, verified: 3, byReference: 1 });
    expect(Object.fromEntries(figures.rolled.actors.get(`model ${HOSTILE}`) ?? [])).toEqual({
      all: { passed: 2, of: 3 },
      fault: { passed: 1, of: 2 },
      requirement: { passed: 1, of: 2 },
      distractor: { passed: 1, of: 1 },
    });
    const rows = new Map(scenarioRows(figures).map(([name, value, paper]) => [name, [value, paper]] as const));
    expect(rows.get('verified trajectories through them')).toEqual([
      '3, 1 of them the reference’s',
      '2,095, a teacher’s',
    ]);
    expect(rows.get('worlds with a scenario')).toEqual(['1', '36']);
    expect(rows.get('events a scenario')?.[0]).toBe('1.33 (at most 2)');
    expect(rows.get('candidates refused by a rule')?.[0]).toBe('2 of 8, 25.0 %');
    expect(rows.get('rollouts of scenarios that are here no more')?.[0]).toBe('1');
    const html = scenarioSection(corpus, ['toy']);
    const { fault, tags } = readHtml(`<!doctype html><html><body>${html}</body></html>`);
    expect(fault).toBeUndefined();
    expect(tags.has('script')).toBe(false);
    expect(html).toContain('66.7 %');
    expect(html).toContain('Refused by rule');
    expect(html).not.toMatch(/NaN|undefined/);
  });

  it('are no section where there are none', () => expect(scenarioSection(corpus, ['toy'])).toBe(''));
});
