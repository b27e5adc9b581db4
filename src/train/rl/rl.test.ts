/** Task rows: what is in them, what never is, which tasks are chosen, and files that are the same each time. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { TOOLS, toyTask } from '../../../test/rollout/toy.js';
import type { Disclosure } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import { addressOf, canonicalJson } from '../../kit/hash.js';
import { readSeed } from '../../serve/gym/nemo/rows.js';
import { lineageOf } from '../sft/row.js';
import { exportRl, type RlExportOptions, type RlSource } from './export.js';
import { RL_FORMATS } from './formats/registry.js';
import { itemOf, type RlItem, type RlView } from './item.js';
import { leftOutOf, type Selection, windowIn } from './select.js';
import { serverUrl } from './server.js';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'rl-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const world = {
  company: { name: 'Toy & Co' },
  policies: [{ id: 'p', text: 'Void nothing twice.' }],
} as unknown as WorldSpec;
const AT_ONCE: RlView = { user: 'none', detail: 'full' };
const itemFor = (task: Task, view = AT_ONCE, isPinned = false, hash = addressOf(task)): RlItem =>
  itemOf({ task, hash, world, worldHash: 'w'.repeat(64), tools: TOOLS, lineage: lineageOf(task) }, view, isPinned);
const PLACE = { split: 'train', index: 0, server: 'http://127.0.0.1:8000', agent: 'a' } as const;

const told: Disclosure = {
  persona: 'in a hurry',
  stages: [
    {
      node: 'n1',
      full: 'Void the invoice of Brandt.',
      partial: 'Void an invoice of Brandt.',
      vague: 'There is an invoice to void.',
      facts: [
        {
          id: 'customer',
          words: 'Brandt',
          says: 'It is for Brandt.',
          asked: ['customer'],
          feeds: [{ call: 1, arg: 'id' }],
          given: 'partial',
        },
        { id: 'why', words: 'a mistake', says: 'It was a mistake.', asked: ['reason'], feeds: [], given: 'full' },
      ],
      unknown: [{ id: 'key', asked: ['invoice id'] }],
    },
    {
      node: 'n2',
      full: 'And its total?',
      partial: 'And its total?',
      vague: 'And how much was it?',
      facts: ['the total'],
    },
  ],
};
const tasks = (): Task[] =>
  Array.from({ length: 12 }, (_, n) => toyTask(n, `t${n % 4}`, n % 2 ? 'toy_world' : 'other_world'));
const sourceOf = (items: readonly RlItem[]): RlSource => {
  const lineages = new Map<string, number>();
  for (const { lineage } of items) lineages.set(lineage, (lineages.get(lineage) ?? 0) + 1);
  return { lineages, leftOut: new Map([['other_kind', 2]]), items: () => items };
};
const optionsFor = (id: string, more: Partial<RlExportOptions> = {}): RlExportOptions => ({
  out,
  format: RL_FORMATS[id]!,
  file: 'jsonl',
  server: 'http://127.0.0.1:8000',
  agent: 'treadle_simple_agent',
  view: AT_ONCE,
  isPinned: false,
  split: { validation: 0.25, seed: '1' },
  licence: 'other',
  chosen: [],
  version: '0.0.0',
  ...more,
});
const linesOf = (split: string): Record<string, unknown>[] =>
  readFileSync(join(out, 'data', `${split}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Everything a verifier knows of a task, made into something else. */
const otherSecrets = (task: Task): Task => ({
  ...task,
  reference: {
    calls: [{ service: 'other', tool: 'other_tool', args: { other: 'other' } }],
    answer: 'other',
    sources: [],
  },
  milestones: [{ id: 'other', node: 'n', checks: [{ kind: 'answer', id: 'other', footprint: [] }], says: 'other' }],
  answer: { kind: 'text', asks: 'other', expected: 'other', distractors: ['other'] },
  bindings: [],
  nodes: [{ id: 'other', family: 'other', intent: 'other', service: 'other', chain: ['other'] }],
  edges: [],
  snapshot: 'b'.repeat(64),
});

describe.each(Object.keys(RL_FORMATS))('rows for %s', (id) => {
  const format = RL_FORMATS[id]!;

  it.each(['none', 'simulated'] as const)('depend on nothing that the verifier knows (user %s)', (user) => {
    for (const detail of ['vague', 'partial', 'full'] as const) {
      const task = { ...toyTask(), disclosure: told };
      const row = (of: Task): unknown => format.row(itemFor(of, { user, detail }, true, 'h'.repeat(64)), PLACE);
      expect(row(otherSecrets(task))).toEqual(row(task));
    }
  });

  it('name no tool that solves the task, not by its lineage either', () => {
    const lineage = 'toy_world/action:billing.invoice.void';
    const parts = { task: toyTask(), hash: 'h', world, worldHash: 'w', tools: [], lineage };
    expect(JSON.stringify(format.row(itemOf(parts, AT_ONCE, false), PLACE))).not.toContain('invoice.void');
  });

  it('hold the values of their columns and no others', () => {
    const shape = (keys: object): string[] => Object.keys(keys).sort();
    for (const user of ['none', 'simulated'] as const) {
      const row = format.row(itemFor({ ...toyTask(), disclosure: told }, { user, detail: 'full' }), PLACE);
      expect(shape(format.columns)).toEqual(expect.arrayContaining(shape(row)));
    }
  });

  it('the same tasks give the same bytes, in both kinds of file', async () => {
    for (const file of ['jsonl', 'parquet'] as const) {
      const bytes = async (): Promise<string[]> => {
        const { files } = await exportRl(sourceOf(tasks().map((task) => itemFor(task))), optionsFor(id, { file }));
        return files.map((name) => `${name} ${addressOf(readFileSync(join(out, name)).toString('base64'))}`);
      };
      expect(await bytes()).toEqual(await bytes());
    }
    // The JSON lines went when Parquet came: a loader would read both.
    expect(readdirSync(join(out, 'data')).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });

  it('no lineage is on both sides, and the card counts what is there', async () => {
    const report = await exportRl(sourceOf(tasks().map((task) => itemFor(task))), optionsFor(id));
    const lineages = (split: string): Set<unknown> =>
      new Set(linesOf(split).map((row) => (/"lineage":"([^"]+)"/.exec(JSON.stringify(row)) ?? [])[1]));
    const both = [...lineages('train')].filter((lineage) => lineages('validation').has(lineage));
    expect([both, report.rows]).toEqual([[], 12]);
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    const front = parse(card.split('---\n')[1] ?? '') as { dataset_info: { splits: { num_examples: number }[] } };
    expect(front.dataset_info.splits.map(({ num_examples }) => num_examples)).toEqual([
      report.splits.train.rows,
      report.splits.validation.rows,
    ]);
    expect(card).toContain('2 are of another kind');
    expect(card).toContain('http://127.0.0.1:8000');
  });

  it('nothing to write is an empty set', async () => {
    const report = await exportRl(sourceOf([]), optionsFor(id));
    expect(report.rows).toBe(0);
    expect(readdirSync(join(out, 'data'))).toEqual([]);
    expect(existsSync(join(out, 'README.md'))).toBe(true);
  });

  it('items that break leave the earlier export whole', async () => {
    await exportRl(sourceOf(tasks().map((task) => itemFor(task))), optionsFor(id));
    const before = readFileSync(join(out, 'data', 'train.jsonl'), 'utf8');
    const good = sourceOf(tasks().map((task) => itemFor(task)));
    const breaking: RlSource = {
      ...good,
      items: function* () {
        yield* [...good.items()].slice(0, 3);
        throw new RangeError('a world that went away');
      },
    };
    await expect(exportRl(breaking, optionsFor(id))).rejects.toThrow('a world that went away');
    expect(readFileSync(join(out, 'data', 'train.jsonl'), 'utf8')).toBe(before);
    expect(existsSync(join(out, '.unfinished'))).toBe(false);
  });
});

describe('what the trainers want', () => {
  const message = z.strictObject({ role: z.enum(['system', 'user']), content: z.string().min(1) });

  it('a row of NeMo Gym seeds its task by name, or by content where it is pinned', () => {
    const task = toyTask();
    const row = RL_FORMATS.nemo!.row(itemFor(task), PLACE);
    expect(readSeed(row)).toEqual({ task: `toy_world/${task.id}` });
    expect(readSeed(RL_FORMATS.nemo!.row(itemFor(task, AT_ONCE, true), PLACE)).task).toBe(addressOf(task));
  });

  it('a row of TRL has messages for a prompt and plain columns for the reset', () => {
    const Row = z.object({
      prompt: z.array(message),
      task: z.string(),
      server: z.string(),
      tools: z.string(),
      toolset: z.string(),
    });
    const row = Row.parse(RL_FORMATS.trl!.row(itemFor(toyTask()), PLACE));
    const other = Row.parse(RL_FORMATS.trl!.row(itemFor(toyTask(3, 'other')), PLACE));
    expect(JSON.parse(row.tools)).toHaveLength(TOOLS.length);
    expect(row.toolset).toBe(other.toolset);
  });

  it('a row of verl is its RLHF dataset row', () => {
    const Row = z.strictObject({
      data_source: z.string(),
      agent_name: z.literal('treadle_agent'),
      prompt: z.array(message).min(1),
      ability: z.string(),
      reward_model: z.strictObject({ style: z.enum(['rule', 'model']), ground_truth: z.string() }),
      tools: z.string(),
      extra_info: z.looseObject({
        split: z.enum(['train', 'validation']),
        index: z.number().int(),
        need_tools_kwargs: z.literal(true),
        tools_kwargs: z.record(z.string(), z.object({ create_kwargs: z.record(z.string(), z.string()) })),
        tool_selection: z.array(z.string()),
      }),
    });
    const task = toyTask();
    const row = Row.parse(RL_FORMATS.verl!.row(itemFor(task), PLACE));
    expect(row.reward_model.ground_truth).toBe(`toy_world/${task.id}`);
    expect(row.extra_info.tool_selection).toEqual(TOOLS.map(({ name }) => name));
  });

  it('a user’s script says what may be said at this detail, and never what it feeds', () => {
    const task = { ...toyTask(), disclosure: told };
    const { user, messages } = itemFor(task, { user: 'simulated', detail: 'partial' });
    expect(messages[1]?.content).toBe('Void an invoice of Brandt.');
    expect(user?.stages[0]).toEqual({
      request: 'Void an invoice of Brandt.',
      facts: [{ asked: ['reason'], says: 'It was a mistake.' }],
      unknown: ['invoice id'],
    });
    expect(canonicalJson(user)).not.toContain('feeds');
    expect(itemFor(task, { user: 'simulated', detail: 'vague' }).user?.stages[0]?.facts).toHaveLength(2);
  });
});

describe('which tasks are chosen', () => {
  const none: Selection = { pilotRollouts: 1, pilotSpread: false };
  const atomic = { kind: 'atomic' } as const;
  const pilots = (passed: number, of: number) => ({
    rollouts: of,
    passed,
    rewards: Array.from({ length: of }, (_, n) => (n < passed ? 1 : 0)),
  });
  it.each([
    ['kind', { ...none, kinds: ['composed'] as const }, undefined, undefined, 'other_kind'],
    ['profile', { ...none, profiles: ['simple'] }, undefined, undefined, 'other_profile'],
    ['no pilots', { ...none, pilotPassRate: { least: 0, most: 1 } }, undefined, undefined, 'too_few_pilots'],
    [
      'few pilots',
      { ...none, pilotRollouts: 16, pilotPassRate: { least: 0, most: 1 } },
      pilots(3, 15),
      undefined,
      'too_few_pilots',
    ],
    ['too easy', { ...none, pilotPassRate: { least: 0.1, most: 0.9 } }, pilots(16, 16), undefined, 'pilot_pass_rate'],
    ['too hard', { ...none, pilotPassRate: { least: 0.1, most: 0.9 } }, pilots(1, 16), undefined, 'pilot_pass_rate'],
    ['at the edge', { ...none, pilotPassRate: { least: 0.1, most: 0.9 } }, pilots(1, 10), undefined, undefined],
    ['alike', { ...none, pilotSpread: true }, pilots(0, 16), undefined, 'pilots_alike'],
    ['apart', { ...none, pilotSpread: true }, pilots(1, 16), undefined, undefined],
    [
      'not measured',
      { ...none, carelessPassRate: { least: 0, most: 1 } },
      undefined,
      undefined,
      'difficulty_not_measured',
    ],
    [
      'careless',
      { ...none, carelessPassRate: { least: 0.2, most: 0.8 } },
      undefined,
      { runs: 10, passed: 9 },
      'careless_pass_rate',
    ],
    ['fits', none, undefined, undefined, undefined],
  ] as const)('%s', (_, selection, own, careless, why) => {
    expect(leftOutOf(atomic, selection as Selection, own, careless)).toBe(why);
  });
  it.each(['0.9..0.1', '0.1', '..', '0..2', '-1..1', 'a..b', '0.1...0.9', ''])('%j is no window', (text) => {
    expect(() => windowIn('--pilot-pass-rate')(text)).toThrow(TreadleError);
  });
  it('a window is two shares', () => expect(windowIn('x')('.1..1')).toEqual({ least: 0.1, most: 1 }));
});

describe('the address of the server', () => {
  it.each(['http://127.0.0.1:8000', 'https://gym.example/treadle'])('%s', (text) => {
    expect(serverUrl(`${text}/`)).toBe(text);
  });
  it.each([
    'localhost:8000',
    '',
    'ftp://a.example',
    'javascript:alert(1)',
    'http://',
    'http://a.example/?token=s3cret',
    'http://a.example/#x',
    'http://user:s3cret@a.example',
    `http://a.example/${'x'.repeat(500)}?`.concat('y=1'),
  ])('%s is refused, and no password is printed', (text) => {
    let said = '';
    try {
      serverUrl(text);
    } catch (thrown) {
      said = (thrown as TreadleError).code + (thrown as TreadleError).line();
    }
    expect(said).toMatch(/^bad_server/);
    if (text.includes('user:')) expect(said).not.toContain('s3cret');
  });
});

describe('rows of scenarios', () => {
  const dynamic = (isPinned = false): RlItem => {
    const task = toyTask();
    const scenario = { id: `${task.id}-e1`, hash: 's'.repeat(64), sources: ['requirement', 'state'] };
    const parts = {
      task,
      hash: addressOf(task),
      world,
      worldHash: 'w'.repeat(64),
      tools: TOOLS,
      lineage: lineageOf(task),
      scenario,
    };
    return itemOf(parts, AT_ONCE, isPinned);
  };

  it('name the scenario where a session is opened by it, and say nothing of it to the policy', () => {
    const nemo = RL_FORMATS.nemo!.row(dynamic(), PLACE);
    expect(readSeed(nemo)).toMatchObject({
      task: 'toy_world/toy-void-by-customer-0',
      scenario: 'toy_world/toy-void-by-customer-0-e1',
    });
    const verl = RL_FORMATS.verl!.row(dynamic(true), PLACE) as {
      extra_info: { tools_kwargs: unknown };
      prompt: unknown;
    };
    expect(verl.extra_info.tools_kwargs).toMatchObject({ treadle: { create_kwargs: { scenario: 's'.repeat(64) } } });
    const trl = RL_FORMATS.trl!.row(dynamic(), PLACE);
    expect(trl).toMatchObject({ scenario: 'toy_world/toy-void-by-customer-0-e1', sources: 'requirement+state' });
    for (const told of [nemo.responses_create_params, verl.prompt, trl.prompt, trl.tools])
      expect(JSON.stringify(told)).not.toMatch(/-e1|requirement/);
  });

  it('tasks that stand still have no such fields', () => {
    for (const format of Object.values(RL_FORMATS)) {
      const row = JSON.stringify(format.row(itemFor(toyTask()), PLACE));
      expect(row).not.toContain('"scenario');
      expect(row).not.toContain('"sources');
    }
  });

  it('are counted in the card, with how events are told', async () => {
    await exportRl(sourceOf([dynamic(), itemFor(toyTask(1, 'other'))]), optionsFor('trl'));
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toContain('| requirement+state | 1 |');
    expect(card).toContain('[Message from the user]');
    await exportRl(sourceOf([itemFor(toyTask())]), optionsFor('trl'));
    expect(readFileSync(join(out, 'README.md'), 'utf8')).not.toContain('## Scenarios');
  });
});
