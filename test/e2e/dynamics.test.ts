/** Scenarios by the executable: made, rolled out, counted, scored and shown; --json of each is one value, and it holds together. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const dir = scratch();
const at = join(dir, 'corpus');

/** The one value that a command prints with --json. */
const json = <T>(args: readonly string[]): T => {
  const ran = warm([...args, '--json']);
  expect(ran.status, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as T;
};
const text = (...args: string[]): string => {
  const ran = warm(args);
  expect(ran.status, ran.stderr).toBe(0);
  return ran.stdout;
};

interface Made {
  scenarios: number;
  events: number;
  worlds_made: { scenarios: { id: string; task: string; events: { id: string }[] }[] }[];
}
let made: Made;
const heads = (): Made['worlds_made'][number]['scenarios'] => made.worlds_made.flatMap((world) => world.scenarios);

beforeAll(() => {
  json(['build', 'A kitchen supplies wholesaler in Leeds', '--tasks', '3', '--out', at]);
  made = json<Made>(['dynamics', at, '--per-task', '2', '--events', '2']);
  for (const policy of ['stale', 'reference', 'scripted']) json(['rollout', at, '--scenarios', '--policy', policy]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('scenarios by the executable', () => {
  it('are counted by stats as dynamics made them, with the trajectories through them', () => {
    expect(made.scenarios).toBeGreaterThan(0);
    const { scenarios } = json<{ scenarios: Record<string, unknown> & { rollouts: Record<string, unknown> } }>([
      'stats',
      at,
    ]);
    expect(scenarios).toMatchObject({ scenarios: made.scenarios, events: made.events, outdated: 0 });
    const { verified, byReference, actors } = scenarios.rollouts as {
      verified: number;
      byReference: number;
      actors: Record<string, Record<string, { passed: number; of: number }>>;
    };
    expect(byReference).toBe(made.scenarios);
    expect(verified).toBe(made.scenarios + (actors.scripted?.all?.passed ?? 0) + (actors.stale?.all?.passed ?? 0));
    expect(actors.reference?.all).toEqual({ passed: made.scenarios, of: made.scenarios });
    expect(readFileSync(join(at, 'report.html'), 'utf8')).toContain('<h2>Scenarios</h2>');
  });

  it('are said by source at the end of a run', () => {
    expect(text('rollout', at, '--scenarios')).toMatch(/\n {2}passed by source of events: \w+ \d+ of \d+/);
  });

  it('are scored by what fired: the reference passes all, and nobody is cheaper than the optimum', () => {
    interface Figure {
      value?: number;
      n: number;
    }
    interface Scored {
      producer: string;
      scenarios: {
        runs: number;
        success: { all: Figure };
        cost: { costGap: Figure; itur: Figure };
        optima: Record<string, number>;
      };
    }
    const { scores, whose } = json<{ scores: Scored[]; whose: object }>(['score', at]);
    expect(scores.map(({ producer }) => producer)).toEqual(['reference', 'scripted', 'stale']);
    expect(scores[0]?.scenarios).toMatchObject({
      runs: made.scenarios,
      success: { all: { value: 100 } },
      cost: { itur: { value: 0 } },
      optima: { reference: made.scenarios, unsolved: 0 },
    });
    for (const { scenarios } of scores) expect(scenarios.cost.costGap.value ?? 0).toBeGreaterThanOrEqual(0);
    expect(Object.keys(whose)).toEqual(['paper', 'words', 'ours']);
  });

  it('are shown: each with its events, and a rollout with them in their place', () => {
    const [first] = heads();
    const id = first?.id ?? '';
    const shown = text('show', at, id);
    expect(shown).toContain(`${id}  scenario of ${first?.task}`);
    expect(shown).toContain(`Event 1 of ${first?.events.length}: ${first?.events[0]?.id}\n  when`);
    expect(shown).toMatch(/The rules it was accepted by\n( {2}ok |\s{3,})/);
    const [world = ''] = readdirSync(join(at, 'worlds'));
    expect(json<object>(['show', at])).toMatchObject({ scenarios: { [world]: made.scenarios } });

    const runs = json<{ id: string; producer: { policy: string } }[]>(['show', at, id, '--traces']);
    expect(runs.map(({ producer }) => producer.policy).sort()).toEqual(['reference', 'scripted', 'stale']);
    const own = runs.find(({ producer }) => producer.policy === 'reference');
    const page = text('show', at, own?.id ?? '');
    expect(page).toContain(`scenario  ${id}: `);
    expect(page).toMatch(new RegExp(`── event ${first?.events[0]?.id} \\(\\w+\\) (fired|expired|was skipped)`));
    expect(page).not.toContain('gave another result');
  });
});
