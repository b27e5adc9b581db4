import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { certify, engine } from '../../../test/author/fixture.js';
import { type Asked, good, type Script, serve } from '../../../test/author/scripted.js';
import { benchAuthorCommand } from '../../cli/commands/bench-author.js';
import { endpoint } from '../../models/client.js';
import { benchBrief, withRecipe } from './bench.js';
import { HELD_OUT_BRIEFS } from './briefs.js';
import { HELD_OUT } from './held-out.js';
import { scoreOf, wilson } from './score.js';

const folder = mkdtempSync(join(tmpdir(), 'bench-author-'));
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = 0;
});

const brief = HELD_OUT_BRIEFS[0] as (typeof HELD_OUT_BRIEFS)[number];
const run = async (script: Script, recipe?: string) => {
  const at = await serve(script);
  try {
    const model = endpoint({ baseUrl: at.baseUrl, model: 'small', maxRetries: 0, backoffMs: 1, timeoutMs: 5000 });
    const conversation = join(folder, `${Math.abs(script.toString().length)}-${recipe ? 'r' : 'p'}.jsonl`);
    const price = { input: 1, output: 2 };
    const result = await benchBrief({ model, brief, recipe, certify, budget: { rounds: 12, price }, conversation });
    return { result, asked: at.asked };
  } finally {
    await at.close();
  }
};

it('a good model passes, a faulty one does not', { timeout: 60_000 }, async () => {
  const { result } = await run(good);
  expect(result).toMatchObject({ outcome: 'certified', passed: 11, of: 11, failed: [], recipe: false });
  expect(result.usd).toBeGreaterThan(0);
  const { result: none } = await run(() => '{"services": "no"}');
  expect(none).toMatchObject({ outcome: 'nothing', passed: 0, of: 11, failed: ['no_world'] });
  const score = scoreOf([result, none]);
  expect(score).toMatchObject({ briefs: 2, certified: 1, rate: 0.5, validators: 5.5, failures: { no_world: 1 } });
  expect(scoreOf([])).toMatchObject({ briefs: 0, rate: 0, interval: [0, 1] });
});

it('a recipe stands behind the instructions', { timeout: 60_000 }, async () => {
  const seen: Asked[] = [];
  const { result } = await run((asked) => {
    seen.push(asked);
    return good(asked);
  }, 'Recipe: plan first.');
  expect(result.recipe).toBe(true);
  for (const { body } of seen) expect(body.messages[0]?.content).toMatch(/\nRecipe: plan first\.$/);
  expect(withRecipe({ model: 'm', chat: vi.fn() }, 'x').model).toBe('m');
});

it('goes on where it was, and asks nothing twice', { timeout: 60_000 }, async () => {
  const at = await serve(good);
  const out = join(folder, 'runs');
  const args = [
    '--model',
    'small',
    '--base-url',
    at.baseUrl,
    '--briefs',
    '2',
    '--budget-rounds',
    '6',
    '--out',
    out,
    '--json',
  ];
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    await benchAuthorCommand().exitOverride().parseAsync(args, { from: 'user' });
    const asked = at.asked.length;
    expect(asked).toBeGreaterThan(0);
    await benchAuthorCommand().exitOverride().parseAsync(args, { from: 'user' });
    expect(at.asked.length).toBe(asked);
  } finally {
    write.mockRestore();
    await at.close();
  }
  expect(JSON.parse(printed.join('').slice(printed.join('').lastIndexOf('\n{') + 1))).toMatchObject({
    plain: { briefs: 2, certified: 2, rate: 1 },
  });
  expect(readdirSync(join(out, readdirSync(out)[0] as string)).filter((name) => name.endsWith('.json'))).toHaveLength(
    2,
  );
  await expect(
    benchAuthorCommand().exitOverride().parseAsync(['--briefs', '2', '--out', out], { from: 'user' }),
  ).rejects.toMatchObject({ code: 'no_model' });
});

it('has thirty briefs about what is held out', () => {
  expect(new Set(HELD_OUT_BRIEFS.map(({ text }) => text)).size).toBe(30);
  for (const { text, archetypes } of HELD_OUT_BRIEFS) {
    expect(text.length).toBeGreaterThan(30);
    expect(archetypes.every((id) => HELD_OUT.includes(id))).toBe(true);
  }
});

it("gives Wilson's interval", () => {
  const [low, high] = wilson(25, 30);
  expect(low).toBeCloseTo(0.664, 3);
  expect(high).toBeCloseTo(0.927, 3);
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (a, b) => {
      const [k, n] = [Math.min(a, b), Math.max(a, b)];
      const [from, to] = wilson(k, n);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(1);
      if (n > 0) expect(k / n).toBeGreaterThanOrEqual(from - 1e-9);
      if (n > 0) expect(k / n).toBeLessThanOrEqual(to + 1e-9);
    }),
  );
});
