/** Models in `treadle tasks`, by the executable over a scripted endpoint in loopback: written, judged and reworded, atomic and composed. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Asked, type Endpoint, type Said, serve } from '../author/scripted.js';
import { errorLine, scratch } from './cli.js';
import { warm, warmBeside } from './warm/warm.js';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const BRIEF = 'A kitchen supplies wholesaler in Leeds with billing and a help desk';

beforeAll(() => {
  const ran = warm(['build', BRIEF, '--tasks', '2', '--out', corpus]);
  expect(ran.status, ran.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const briefIn = (prompt: string): string => /<request>\n([\s\S]*?)\n<\/request>/.exec(prompt)?.[1] ?? '';
let verdicts = 0;
/** Says yes, but to every fourth reference; thanks in other words; knows no task to write. */
const fair = ({ part, prompt }: Asked): Said => {
  if (part.startsWith('verdict'))
    return JSON.stringify(
      ++verdicts % 4 === 0 ? { does: false, reason: 'Not what was asked.' } : { does: true, reason: 'Right.' },
    );
  if (part.startsWith('words')) return JSON.stringify({ brief: `${briefIn(prompt)} Many thanks in advance.` });
  if (part.startsWith('coherence'))
    return JSON.stringify({ coherent: true, objective: 'Serve a customer.', reason: '' });
  return JSON.stringify({ tasks: [] });
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
const proofs = (at: string): { name: string; pass: boolean; findings: { id: string; evidence: string[] }[] }[] => {
  const folder = join(at, 'worlds', worldOf(at), 'tasks', 'proofs');
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
};

describe('tasks with a model', () => {
  it('are judged and reworded, the verdict is in the proof, and the reference passes in other words, too', () =>
    withModel(fair, async (options, at) => {
      const to = copy('atomic');
      const args = ['tasks', to, '--tasks', '4', '--author', 'embedded', '--judge', '--rewrite'];
      const ran = await warmBeside([...args, ...options], { timeoutMs: 200_000 });
      expect(ran.status, ran.stderr).toBe(0);
      const [said] = JSON.parse(ran.stdout) as [
        { tasks: { brief: string }[]; byModel: { judged: Record<string, number>; reworded: { changed: number } } },
      ];
      expect(said.tasks).toHaveLength(4);
      expect(said.byModel.judged.accepted).toBeGreaterThanOrEqual(4);
      expect(said.byModel.judged.unclear).toBe(0);
      expect(said.tasks.filter(({ brief }) => brief.endsWith('in advance.'))).toHaveLength(
        said.byModel.reworded.changed,
      );
      expect(said.byModel.reworded.changed).toBeGreaterThan(0);
      for (const { pass, findings } of proofs(to)) {
        expect(pass).toBe(true);
        expect(findings.find(({ id }) => id === 'semantic_acceptance')?.evidence).toEqual(['small: Right.']);
      }
      expect(at.asked.every(({ body }) => body.messages.length >= 2)).toBe(true);
      const rolled = warm(['rollout', to, '--json']);
      expect(JSON.parse(rolled.stdout)).toMatchObject({ rollouts: 4, passed: 4 });
    }));

  it('a model that writes nothing costs no task, and a conversation is gone on with', () =>
    withModel(fair, async (options, at) => {
      const to = copy('none');
      const args = ['tasks', to, ...options, '--conversation', join(dir, 'talk.jsonl')];
      const ran = await warmBeside(args, { timeoutMs: 200_000 });
      expect(ran.status).not.toBe(0);
      expect(errorLine(ran)).toMatch(/no_task_passed.*it wrote none/);
      expect(proofs(to)).toHaveLength(2);
      const asked = at.asked.length;
      expect(asked).toBeGreaterThan(0);
      expect(errorLine(await warmBeside(args, { timeoutMs: 200_000 }))).toBe(errorLine(ran));
      expect(at.asked.length).toBe(asked);
    }));

  it('composed ones are judged, reworded and gated again; a refused slot is drawn anew', () =>
    withModel(fair, async (options, at) => {
      const to = copy('composed');
      verdicts = 0;
      const args = ['tasks', to, '--composed', '4', '--mix', 'simple=1', '--judge', '--rewrite', '--jobs', '2'];
      const ran = await warmBeside([...args, ...options], { timeoutMs: 300_000 });
      expect(ran.status, ran.stderr).toBe(0);
      const said = JSON.parse(ran.stdout);
      expect(said.tasks).toHaveLength(4);
      expect(said.missing).toEqual({});
      expect(said.byModel.judged.refused).toBeGreaterThan(0);
      expect(said.byModel.coherence).toMatchObject({ rejected: 0, unclear: 0 });
      const reason = 'semantic_acceptance: Not what was asked.';
      const drawnAnew = said.dropped.filter(({ why }: { why: string }) => why === reason).length;
      expect(drawnAnew + (said.byModel.reworded.kept[reason] ?? 0)).toBe(said.byModel.judged.refused);
      expect(said.byModel.reworded.changed).toBeGreaterThan(0);
      expect(at.asked.filter(({ part }) => part.startsWith('coherence')).length).toBe(said.byModel.coherence.asked);
      const own = proofs(to).filter(({ name }) => said.tasks.some(({ id }: { id: string }) => id === name));
      expect(own).toHaveLength(4);
      for (const { pass, findings } of own) {
        expect(pass).toBe(true);
        expect(findings.some(({ id }) => id === 'semantic_acceptance')).toBe(true);
      }
      expect(JSON.parse(warm(['rollout', to, '--json']).stdout)).toMatchObject({ rollouts: 6, passed: 6 });
    }));
});

describe('bad options and endpoints', () => {
  it.each([
    [['--judge'], /--judge needs a model/],
    [['--rewrite'], /--rewrite needs a model/],
    [['--author', 'both'], /--author both needs a model/],
    [['--author', 'nobody'], /Allowed choices are embedded, model, both/],
    [['--judge', '--variants', '2'], /neither judged nor reworded/],
    [['--model', 'x'], /needs an endpoint and a name/],
    [['--composed', '1', '--author', 'embedded'], /grown, not written/],
    [['--model', 'x', '--base-url', 'http://127.0.0.1:9/v1', '--budget-usd', '1'], /needs the price/],
  ])('%j is refused in a line', (args, says) => {
    const ran = warm(['tasks', corpus, ...args]);
    expect(ran.status).toBe(2);
    expect(errorLine(ran)).toMatch(says);
  });

  it('an endpoint that refuses everything ends the command with its words, and the tasks stay', () =>
    withModel(
      () => ({ status: 401, body: { error: { message: 'no such key' } } }),
      async (options) => {
        const to = copy('refusing');
        const ran = await warmBeside(['tasks', to, ...options], { timeoutMs: 200_000 });
        expect(ran.status).not.toBe(0);
        expect(ran.stderr + ran.stdout).toMatch(/no such key/);
        expect(proofs(to)).toHaveLength(2);
      },
    ));
});
