/** A model in `treadle dynamics`, by the executable over a scripted endpoint in loopback: events, words, a budget that ends. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Asked, type Endpoint, type Said, serve } from '../author/scripted.js';
import { errorLine, scratch } from './cli.js';
import { warm, warmBeside } from './warm/warm.js';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');

beforeAll(() => {
  const brief = 'A kitchen supplies wholesaler in Leeds with billing and a help desk';
  const ran = warm(['build', brief, '--tasks', '6', '--out', corpus]);
  expect(ran.status, ran.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Lets the last call's tool fail once, then knows no more; words anew what is told of events. */
const fair = ({ part, prompt, nth }: Asked): Said => {
  const request = /<request>\n([\s\S]*?)\n<\/request>/.exec(prompt)?.[1] ?? '';
  if (part.startsWith('words'))
    return JSON.stringify({ text: request.replace(/^I have to correct myself:/, 'Sorry, one more thing:') });
  const calls = [...request.matchAll(/^(\d+)\. (\S+) /gm)];
  if (prompt.includes('There are events already') || calls.length < 2)
    return JSON.stringify({ source: 'none', after: 0 });
  // The first one it gets wrong.
  const tool = nth === 0 ? 'no_such_tool' : calls.at(-1)?.[2];
  return JSON.stringify({ source: 'fault', after: calls.length - 1, to: 'none', tool, times: 1 });
};

const withModel = async <T>(
  script: (asked: Asked) => Said,
  use: (options: string[], at: Endpoint) => Promise<T>,
): Promise<T> => {
  const at = await serve(script);
  try {
    return await use(['--model', 'small', '--base-url', at.baseUrl, '--json'], at);
  } finally {
    await at.close();
  }
};
const copy = (name: string): string => {
  const to = join(dir, name);
  cpSync(corpus, to, { recursive: true });
  return to;
};
const worldOf = (at: string): string => readdirSync(join(at, 'worlds'))[0] as string;
interface Listing {
  scenarios: { id: string; hash: string; events: { id: string }[] }[];
  refused: { rule: string; evidence: string }[];
  byModel?: {
    proposed: { accepted: number; refused: Record<string, number> };
    reworded: { changed: number };
    ended?: string;
  };
}
const listing = (at: string): Listing =>
  JSON.parse(readFileSync(join(at, 'worlds', worldOf(at), 'scenarios', 'index.json'), 'utf8'));
const byModel = (at: string): string[] =>
  listing(at)
    .scenarios.filter(({ events }) => events.some(({ id }) => id.startsWith('by_model')))
    .map(({ id }) => id);

describe('a model in treadle dynamics', () => {
  it('has its events beside the embedded ones, all of which roll out; the conversation is kept and not held twice', () =>
    withModel(fair, async (options, at) => {
      const to = copy('both');
      const ran = await warmBeside(['dynamics', to, '--per-task', '2', '--rewrite', ...options], {
        timeoutMs: 300_000,
      });
      expect(ran.status, ran.stderr).toBe(0);
      const made = listing(to);
      expect(byModel(to).length).toBeGreaterThan(0);
      expect(byModel(to).length).toBe(made.byModel?.proposed.accepted);
      expect(made.scenarios.length).toBeGreaterThan(byModel(to).length);
      expect(made.byModel?.proposed.refused.unfit).toBeGreaterThan(0);
      expect(made.refused.some(({ rule, evidence }) => rule === 'unfit' && /no_such_tool/.test(evidence))).toBe(true);
      const kept = readdirSync(join(to, 'conversations'));
      expect(kept).toHaveLength(1);
      const turns = readFileSync(join(to, 'conversations', kept[0] as string), 'utf8')
        .trim()
        .split('\n');
      expect(turns.filter((line) => line.startsWith('{"kind":"turn"'))).toHaveLength(at.asked.length);
      const rolled = warm(['rollout', to, '--scenarios', '--json']);
      expect(JSON.parse(rolled.stdout)).toMatchObject({
        rollouts: made.scenarios.length,
        passed: made.scenarios.length,
      });
      // With the scenarios gone, the kept conversation gives the same ones, without a question.
      const asked = at.asked.length;
      rmSync(join(to, 'worlds', worldOf(to), 'scenarios'), { recursive: true });
      const again = await warmBeside(['dynamics', to, '--per-task', '2', '--rewrite', ...options], {
        timeoutMs: 300_000,
      });
      expect(again.status, again.stderr).toBe(0);
      expect(at.asked.length).toBe(asked);
      expect(listing(to).scenarios).toEqual(made.scenarios);
    }));

  it('a budget that ends is said; what the model did not reach stays as it was, and the same command goes on', () =>
    withModel(fair, async (options) => {
      const to = copy('budget');
      const embedded = warm(['dynamics', to, '--per-task', '1']);
      expect(embedded.status, embedded.stderr).toBe(0);
      const before = listing(to).scenarios;
      const args = ['dynamics', to, '--author', 'model', '--per-task', '1', ...options];
      const ran = await warmBeside([...args, '--budget-rounds', '3'], { timeoutMs: 300_000 });
      expect(ran.status, ran.stderr).toBe(0);
      const cut = listing(to);
      expect(cut.byModel?.ended).toMatch(/rounds are used/);
      expect(byModel(to).length).toBeGreaterThan(0);
      expect(before.some(({ hash }) => cut.scenarios.some((one) => one.hash === hash))).toBe(true);
      const on = await warmBeside(args, { timeoutMs: 300_000 });
      expect(on.status, on.stderr).toBe(0);
      expect(listing(to).byModel?.ended).toBeUndefined();
    }));

  it('a model that says nonsense leaves the embedded events', () =>
    withModel(
      () => 'As an AI I would rather not.',
      async (options) => {
        const to = copy('nonsense');
        const ran = await warmBeside(['dynamics', to, '--rounds', '2', ...options], { timeoutMs: 300_000 });
        expect(ran.status, ran.stderr).toBe(0);
        expect(byModel(to)).toEqual([]);
        expect(listing(to).scenarios.length).toBeGreaterThan(0);
        expect(listing(to).byModel?.proposed.refused.unfit).toBeGreaterThan(1);
      },
    ));

  it('options of a model without one are refused in one line', () => {
    const ran = warm(['dynamics', corpus, '--rewrite']);
    expect(ran.status).not.toBe(0);
    expect(errorLine(ran)).toMatch(/bad_option.*--rewrite needs a model/);
  });
});
