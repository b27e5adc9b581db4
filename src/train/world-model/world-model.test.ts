/** World-model rows: what a step is, which pairs are the same, what is held out, and what is left out and why. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS, toyHost, toyTask } from '../../../test/rollout/toy.js';
import type { LedgerEntry, Trace } from '../../artifacts/trace.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { exportWorld, type WorldCounts, type WorldExportOptions, type WorldItem } from './export.js';
import { outsideChanges, withoutNotices } from './outside.js';
import { PairKeys, type Setting, worldRow } from './row.js';
import { groupOf, leftOutOf, Pairs, placing } from './select.js';
import { type Step, stepsOf } from './steps.js';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'wm-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const task = toyTask();
const world = { id: 'toy_world', company: { name: 'Toy' }, policies: [] } as unknown as WorldSpec;
const setting: Setting = { world, worldHash: 'w'.repeat(64), task, tools: TOOLS };
const roll = (): Promise<Trace> => rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
const entry = (over: Partial<LedgerEntry>): LedgerEntry => ({
  index: 0,
  service: 'billing',
  tool: 'get_invoice',
  toolVersion: 'v',
  args: { id: 'x' },
  ok: true,
  result: { id: 'x' },
  touched: [],
  at: 0,
  ...over,
});

describe('steps', () => {
  it('are the calls in their order, with the text that the agent was shown', async () => {
    const trace = await roll();
    const steps = stepsOf(trace);
    expect(steps.map(({ tool }) => tool)).toEqual(['list_invoices', 'get_invoice', 'void_invoice']);
    const shown = trace.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(steps.map(({ observation }) => observation)).toEqual(shown);
  });

  it('arguments that were no JSON never reached the software', () => {
    const error = { code: 'malformed_arguments', fault: 'agent' as const };
    const ledger = [entry({ ok: false, error, args: '{"id":' }), entry({ index: 1 })];
    expect(stepsOf({ messages: [], ledger }).map(({ index }) => index)).toEqual([1]);
  });

  it('a harness’s own name for a tool is found, a text that is gone comes from the ledger', () => {
    const call = { id: 'c1', name: 'mcp__treadle__get_invoice', arguments: { id: 'x' } };
    const messages = [
      { role: 'assistant' as const, content: '', toolCalls: [call] },
      { role: 'tool' as const, content: 'as shown', toolCallId: 'c1' },
    ];
    expect(
      stepsOf({ messages, ledger: [entry({}), entry({ index: 1 })] }).map(({ observation }) => observation),
    ).toEqual(['as shown', '{"id":"x"}']);
  });
});

describe('pairs', () => {
  const step = (over: Partial<Step>): Step => ({
    index: 0,
    service: 'billing',
    tool: 'get_invoice',
    args: { id: 'a' },
    observation: '{}',
    ok: true,
    code: '',
    fault: '',
    at: 0,
    ...over,
  });
  const keysOf = (...steps: Step[]): string[] => {
    const keys = new PairKeys(setting, 's');
    return steps.map((each) => keys.next(each));
  };

  it('look-ups before it do not make another state', () => {
    const [first, , again] = keysOf(step({}), step({ tool: 'list_invoices', args: {} }), step({ at: 60 }));
    expect(again).toBe(first);
  });
  it('a write does, a refused one does not', () => {
    const write = step({ tool: 'void_invoice' });
    const [first, , after] = keysOf(step({}), write, step({}));
    expect(after).not.toBe(first);
    const [, , refused] = keysOf(step({}), { ...write, ok: false }, step({}));
    expect(refused).toBe(first);
  });
  it('another snapshot, actor or grounding is another state', () => {
    const key = (more: Partial<Setting>, snapshot = 's'): string =>
      new PairKeys({ ...setting, ...more }, snapshot).next(step({}));
    const other = { ...task, actor: { ...task.actor, email: 'b@toy.example' } };
    const own = { ...task, grounding: { rounds: [] } };
    expect(new Set([key({}), key({}, 't'), key({ task: other }), key({ task: own })]).size).toBe(4);
  });
  it('one row is kept of each, and another answer is counted', () => {
    const pairs = new Pairs();
    const take = (answer: string): boolean => {
      if (pairs.has('p', answer)) return false;
      pairs.add('p', answer);
      return true;
    };
    expect([take('1'), take('1'), take('2'), take('2')]).toEqual([true, false, true, false]);
    expect(pairs.answersDiffer).toBe(1);
  });
  it.each([
    ['infrastructure', false, 'with', 'infrastructure'],
    ['injected', false, 'without', 'injected'],
    ['', true, 'without', 'injected'],
    ['injected', false, 'with', undefined],
    ['injected', true, 'only', undefined],
    ['agent', false, 'only', 'not_injected'],
    ['agent', false, 'without', undefined],
    ['world', false, 'without', undefined],
  ] as const)('a step of fault %j (after one: %s), %s: %s', (fault, isAfter, how, why) => {
    expect(leftOutOf(step({ fault }), isAfter, how)).toBe(why);
  });
});

const trace = { id: 't', producer: { policy: 'scripted', name: 'slips' } } as const;
const rowsFor = async (): Promise<WorldItem[]> => {
  const steps = stepsOf(await roll());
  return Array.from({ length: 12 }, (_, n) => n).flatMap((n) =>
    steps.map((step, i) => ({
      row: worldRow(setting, { trace, source: 'trace', history: steps.slice(0, i), left: 0, step, pair: `${n}/${i}` }),
      group: groupOf('lineage', { world: 'w', lineage: `l${n % 6}`, service: step.service }),
      services: ['billing'],
    })),
  );
};
const options = (more: Partial<WorldExportOptions> = {}): WorldExportOptions => ({
  out,
  file: 'jsonl',
  split: { by: 'lineage', validation: 0.25, seed: '1' },
  licence: 'other',
  version: '0.0.0',
  asked: [],
  ...more,
});
const counts = (): WorldCounts => ({ leftOut: new Map(), answersDiffer: 0 });

describe('rows', () => {
  it('end with the answer; history alternates; only tools that are called are defined', async () => {
    const [, second] = await rowsFor();
    const messages = second?.row.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    const [system, action] = messages.map(({ content }) => content);
    expect(system).toContain('list_invoices, get_invoice, void_invoice');
    expect(system).not.toContain('"name":"void_invoice"');
    expect(JSON.parse(action ?? '')).toEqual({ now: '2024-03-05T00:00:00Z', tool: 'list_invoices', arguments: {} });
  });

  it('nothing of the task but who acts is told', async () => {
    const texts = JSON.stringify((await rowsFor()).map(({ row }) => row.messages));
    expect([texts.includes(task.brief), texts.includes('2000')]).toEqual([false, true]);
    expect(texts).not.toMatch(/milestone|void_by_customer/);
  });

  it('the same rows give the same bytes', async () => {
    for (const file of ['jsonl', 'parquet'] as const) {
      const bytes = async (): Promise<string[]> => {
        const { files } = await exportWorld(await rowsFor(), counts(), options({ file }));
        return files.map((name) => readFileSync(join(out, name)).toString('base64'));
      };
      expect(await bytes()).toEqual(await bytes());
    }
  });

  it('a card counts them', async () => {
    const report = await exportWorld(await rowsFor(), counts(), options());
    expect(report).toMatchObject({ rows: 36, errors: 0, splits: { validation: { rows: 6 } } });
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('36 pairs');
  });

  it('no pair is an empty set, and pairs that break leave the earlier set whole', async () => {
    expect((await exportWorld([], counts(), options())).files).toEqual(['README.md']);
    await exportWorld(await rowsFor(), counts(), options());
    const before = readFileSync(join(out, 'data', 'train.jsonl'), 'utf8');
    const rows = await rowsFor();
    const breaking = function* (): Generator<WorldItem> {
      yield* rows.slice(0, 2);
      throw new RangeError('a trace that is none');
    };
    await expect(exportWorld(breaking(), counts(), options())).rejects.toThrow('a trace that is none');
    expect(readFileSync(join(out, 'data', 'train.jsonl'), 'utf8')).toBe(before);
    expect(existsSync(join(out, '.unfinished'))).toBe(false);
  });
});

describe('held-out services', () => {
  const groups = new Map([
    ['billing', 6],
    ['mail', 2],
    ['none', 1],
  ]);
  it('are called by no training row, nor in its history', () => {
    const { sideOf } = placing('service', groups, 0.3, '3');
    const held = [...groups.keys()].filter((group) => sideOf(group, [group]) === 'validation');
    expect(held.length).toBeGreaterThan(0);
    const free = [...groups.keys()].find((group) => !held.includes(group)) ?? '';
    expect(sideOf(free, [free])).toBe('train');
    const named = held[0] === 'none' ? '' : (held[0] ?? '');
    expect(sideOf(free, [free, named])).toBe('held_out_in_history');
    expect(sideOf(held[0] ?? '', [named, free])).toBe('validation');
  });
});

describe('rollouts of scenarios', () => {
  const fate = (event: string, calls: number, touched: Trace['ledger'][number]['touched']) =>
    ({ kind: 'fate', event, source: 'state', fate: 'fired', at: 0, calls, touched }) as const;
  const touch = { service: 'billing', table: 'invoice', key: 1, change: 'update' as const, cols: ['status'] };

  it('what events changed lies between the steps; events that changed no row do not count', () => {
    const events = [fate('paid', 2, [touch]), fate('said', 1, []), fate('moved', 2, [touch])];
    expect([...outsideChanges({ events })]).toEqual([[2, ['paid', 'moved']]]);
  });

  it('a look-up after a change of somebody else’s is another pair, the same for the same change', async () => {
    const [first] = stepsOf(await roll()) as [Step];
    const keysAfter = (...changes: string[]): string => {
      const keys = new PairKeys(setting, 's'.repeat(64));
      for (const change of changes) keys.changed(change);
      return keys.next(first);
    };
    expect(keysAfter('a paid')).toBe(keysAfter('a paid'));
    expect(new Set([keysAfter(), keysAfter('a paid'), keysAfter('b paid')]).size).toBe(3);
  });

  it('a notice that came with a result is no answer of the software', async () => {
    const trace = await roll();
    const steps = stepsOf(trace).map((step) => ({
      ...step,
      observation: `${step.observation}\n\n[Message from the user] Stop.`,
    }));
    const notice = { kind: 'notice', event: 'said', to: 'user', text: 'Stop.', at: 0, calls: 2 } as const;
    const own = withoutNotices(steps, { ledger: trace.ledger, events: [notice] });
    expect(own[1]?.observation).toBe(stepsOf(trace)[1]?.observation);
    expect([own[0], own[2]]).toEqual([steps[0], steps[2]]);
    // Our own loop tells of it in a message: results are as they are.
    expect(withoutNotices(steps, { ledger: trace.ledger, events: [{ ...notice, message: 5 }] })).toEqual(steps);
  });
});
