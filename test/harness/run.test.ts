import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Trace } from '../../src/artifacts/trace.js';
import { findJail, type Jail } from '../../src/rollout/harness/jail.js';
import { commandHarness } from '../../src/rollout/harness/template.js';
import { outcomeOf } from '../../src/rollout/outcome.js';
import type { CallOutcome, ToolHost } from '../../src/serve/tool-host.js';
import { toyHost } from '../rollout/toy.js';
import { AGENT, agent, type TestHouse, testHouse } from './place.js';

let at: TestHouse;
const found = await findJail();
beforeAll(async () => {
  at = await testHouse();
});
afterAll(() => at.close());

const runs = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const became = (trace: Trace) => outcomeOf(trace, { pass: false, fault: 'policy' });
const places: [string, Jail | undefined][] = [['in a folder of its own', undefined]];
if (found.jail) places.push(['under bubblewrap', found.jail]);
else console.warn(`!! SKIPPED: harnesses under bubblewrap: ${found.why} (apt-get install bubblewrap)`);

describe.each(places)('a harness %s', (_, jail) => {
  it('acts by model and tools, and the trace holds what it did under our names', async () => {
    const host = toyHost();
    const trace = await at.tried({ harness: agent('react'), host, jail });
    expect(Trace.parse(trace)).toEqual(trace);
    expect(trace).toMatchObject({
      finish: 'answered',
      answer: '2000',
      user: 'none',
      producer: { policy: 'harness', name: 'command', model: 'm1' },
      usage: { turns: 4, calls: 3 },
      gateway: { exchanges: 4 },
    });
    expect(trace.problem).toBeUndefined();
    expect(trace.ledger.map(({ tool, index }) => [tool, index])).toEqual([
      ['list_invoices', 0],
      ['get_invoice', 1],
      ['void_invoice', 2],
    ]);
    expect(trace.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))).toEqual([
      'list_invoices',
      'get_invoice',
      'void_invoice',
    ]);
    expect(trace.messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(host.rows.map(({ status }) => status)).toEqual(['open', 'void', 'open']);
    expect(readdirSync(at.root)).toEqual([]);
  });

  it('is told of events in the answers of its tools, and the trace says so', async () => {
    const host = toyHost();
    const telling: ToolHost = {
      tools: () => host.tools(),
      call: (name, args) => {
        const outcome = host.call(name, args) as CallOutcome;
        if (name !== 'get_invoice') return outcome;
        const notice = { event: 'e1', to: 'user' as const, text: 'Make it two.', at: 7, delivered: 2 };
        return { ...outcome, notices: [notice] };
      },
    };
    const trace = await at.tried({ harness: agent('react'), host: telling, jail });
    expect(trace).toMatchObject({ finish: 'answered', answer: '2000' });
    expect(trace.events).toEqual([{ kind: 'notice', event: 'e1', to: 'user', text: 'Make it two.', at: 7, calls: 2 }]);
    const tools = trace.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(tools.map((text) => text.endsWith('\n[Message from the user] Make it two.'))).toEqual([false, true, false]);
    expect(JSON.stringify(trace.ledger)).not.toContain('Make it two.');
    expect(Trace.parse(trace)).toEqual(trace);
  });

  it('sees nothing of our environment but a search path, and lives in its folder', async () => {
    process.env.TREADLE_API_KEY = 'sk-ours';
    const trace = await at.tried({ harness: agent('env'), jail });
    delete process.env.TREADLE_API_KEY;
    const env = JSON.parse(trace.messages[0]?.content ?? '') as Record<string, string>;
    const allowed =
      /^(PATH|LANG|LC_ALL|TZ|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|cwd|OPENAI_.*|ANTHROPIC_.*|TREADLE_(MODEL|MCP_URL|MCP_TOKEN|TASK|SYSTEM|PROCESS))$/;
    expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([]);
    expect(JSON.stringify(env)).not.toContain('sk-ours');
    expect(env.HOME).toBe(jail ? jail.workdir : env.cwd);
    expect(env.cwd).toContain(jail ? '/workspace' : at.root);
  });

  it('that never ends is cut at its deadline', async () => {
    const trace = await at.tried({ harness: agent('hangs'), jail, limits: { deadlineMs: 4_000 } });
    expect(trace).toMatchObject({ finish: 'cut', answer: '', problem: { code: 'deadline', fault: 'infrastructure' } });
    expect(became(trace)).toEqual({ outcome: 'cut' });
    expect(trace.ledger.length).toBe(3);
    expect(readdirSync(at.root)).toEqual([]);
  });

  it('is cut when it is called off, also before it began', async () => {
    const stop = new AbortController();
    const running = at.tried({ harness: agent('hangs'), jail, signal: stop.signal });
    await expect.poll(() => at.model.requests.at(-1)?.messages.at(-1)?.role).toBe('tool');
    stop.abort();
    expect(await running).toMatchObject({ finish: 'cut', problem: { code: 'cut' } });
    const late = await at.tried({ harness: agent('hangs'), jail, signal: stop.signal });
    expect(late).toMatchObject({ finish: 'cut', problem: { code: 'cut' }, ledger: [] });
  });

  it('takes its children with it, also those that left it', async () => {
    const trace = await at.tried({ harness: agent('children'), jail });
    expect(trace).toMatchObject({ finish: 'answered', answer: 'left two behind' });
    // Inside a jail pids are others: there the namespace's end is the end of them all.
    const pids = jail ? [] : (trace.messages[0]?.content ?? '').split(' ').map(Number);
    expect(pids.length).toBe(jail ? 0 : 2);
    expect(pids.map(runs)).toEqual(pids.map(() => false));
    expect(strays()).toEqual([]);
  });

  it('that kills itself has failed its task', async () => {
    const trace = await at.tried({ harness: agent('kills'), jail });
    expect(trace).toMatchObject({ finish: 'error', problem: { code: 'harness_killed', fault: 'policy' } });
    expect(trace.problem?.message).toMatch(/SIGKILL|signal 9/);
    expect(became(trace)).toEqual({ outcome: 'failed' });
  });

  it('that breaks in the middle has failed its task, and says why', async () => {
    const trace = await at.tried({ harness: agent('fails'), jail });
    expect(trace.problem).toEqual({
      code: 'harness_failed',
      message: 'The harness ended with status 3: lost the thread',
      fault: 'policy',
    });
    expect(trace.ledger.length).toBe(1);
  });

  it('that crashes at its start is a matter of its installation', async () => {
    const trace = await at.tried({ harness: agent('crashes'), jail });
    expect(trace).toMatchObject({ finish: 'error', ledger: [] });
    expect(trace.problem).toMatchObject({ code: 'harness_failed', fault: 'infrastructure' });
    expect(trace.problem?.message).not.toContain(at.root);
    expect(trace.problem?.message).not.toContain('trd_');
    expect(became(trace)).toEqual({ outcome: 'fault', fault: 'infrastructure' });
    expect(trace.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('that prints without end is ended; one that prints much is heard to its end', async () => {
    const endless = await at.tried({ harness: agent('megabytes'), jail, limits: { outputBytes: 20 * 2 ** 20 } });
    expect(endless).toMatchObject({ finish: 'error', problem: { code: 'output_limit', fault: 'policy' } });
    const loud = await at.tried({ harness: agent('loud'), jail });
    expect(loud.finish).toBe('answered');
    expect(loud.answer.slice(-5)).toBe('\n2000');
    expect(loud.answer.length).toBe(65_536);
  });

  it('that has no token for the model gets nothing from it', async () => {
    const before = at.model.requests.length;
    const trace = await at.tried({ harness: agent('no-token'), jail });
    expect(at.model.requests.length).toBe(before);
    expect(trace).toMatchObject({ finish: 'error', gateway: { exchanges: 0 }, problem: { fault: 'infrastructure' } });
    expect(trace.problem?.message).toContain('401');
  });

  it('that calls tools that do not exist is told so, and it is its own fault', async () => {
    const trace = await at.tried({ harness: agent('no-tool'), jail });
    expect(trace).toMatchObject({ finish: 'answered', answer: '2000' });
    expect(trace.ledger[0]).toMatchObject({ tool: 'no_such_tool', ok: false, error: { fault: 'agent' } });
    expect(trace.usage.calls).toBe(4);
  });

  it('that did nothing and says it is done has failed', async () => {
    const trace = await at.tried({ harness: agent('idle'), jail });
    expect(trace).toMatchObject({ finish: 'error', answer: '', problem: { code: 'harness_idle', fault: 'policy' } });
    expect(became(trace)).toEqual({ outcome: 'failed' });
  });

  it('that brings its own model is known by its calls and its answer', async () => {
    const call = JSON.stringify({ name: 'get_invoice', arguments: { id: 'inv_2x' } });
    const harness = commandHarness(`'${process.execPath}' '${AGENT}' tools '${call}'`);
    const trace = await at.tried({ harness, jail, isUnheard: true });
    expect(Trace.parse(trace)).toEqual(trace);
    expect(trace).toMatchObject({ finish: 'answered', usage: { turns: 0, calls: 1 } });
    expect([trace.gateway, trace.producer.model]).toEqual([undefined, undefined]);
    expect(trace.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
    expect(trace.messages[2]?.toolCalls?.[0]).toMatchObject({ name: 'get_invoice', arguments: { id: 'inv_2x' } });
    expect(trace.answer).toContain('"total":2000');
    const idle = await at.tried({ harness: commandHarness('/bin/true'), jail, isUnheard: true });
    expect(idle.problem?.code).toBe('harness_idle');
  });

  it('that never got to the tools says nothing of its model', async () => {
    const trace = await at.tried({ harness: agent('toolless'), jail });
    expect(trace).toMatchObject({
      finish: 'error',
      answer: '',
      problem: { code: 'harness_without_tools', fault: 'infrastructure' },
      gateway: { exchanges: 1 },
    });
    expect(became(trace)).toEqual({ outcome: 'fault', fault: 'infrastructure' });
  });

  it('that calls without end is ended, and what it called is bounded', async () => {
    const trace = await at.tried({ harness: agent('calls'), jail, limits: { calls: 50 }, isUnheard: true });
    expect(trace).toMatchObject({ finish: 'turn_limit', problem: { code: 'call_budget', fault: 'policy' } });
    expect([trace.ledger.length, trace.usage.calls]).toEqual([50, 50]);
    expect(Trace.parse(trace)).toEqual(trace);
  });

  it('that asks for more turns than it has ends at the limit', async () => {
    const trace = await at.tried({ harness: agent('react'), jail, limits: { turns: 2 } });
    expect(trace).toMatchObject({ finish: 'turn_limit', problem: { code: 'turn_budget' }, usage: { turns: 2 } });
  });

  it('writes outside of its folder only where nothing holds it', async () => {
    const outside = [join(at.root, 'outside'), '/etc/treadle-harness-was-here', '/usr/treadle-harness-was-here'];
    const trace = await at.tried({ harness: agent('outside', outside.slice(0, jail ? 3 : 1).join(' ')), jail });
    expect(trace.finish).toBe('answered');
    expect(outside.map((path) => existsSync(path))).toEqual([jail === undefined, false, false]);
    rmSync(outside[0] as string, { force: true });
  });

  it('that does not exist is an infrastructure fault with its name', async () => {
    const trace = await at.tried({ harness: commandHarness('no-such-agent --task {task}'), jail });
    expect(trace).toMatchObject({ finish: 'error', problem: { code: 'harness_not_found', fault: 'infrastructure' } });
    expect(trace.problem?.message).toContain('no-such-agent');
    const missing = await at.tried({ harness: commandHarness(join(at.root, 'nothing-here')), jail });
    expect(missing.problem?.code).toBe('harness_not_found');
  });
});

/** Processes whose command line is the napping child's. */
const strays = (): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && runs(Number(pid)))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('setInterval(() => undefined, 1000)');
      } catch {
        return false;
      }
    });

describe.runIf(found.jail)('the jail', () => {
  it('hides the disk, a corpus beside the agent, and other processes', async () => {
    const apart = mkdtempSync(join(tmpdir(), 'treadle-apart-'));
    const [own, code] = [join(apart, 'own'), join(apart, 'code')];
    mkdirSync(own);
    mkdirSync(join(code, 'corpus'), { recursive: true });
    writeFileSync(join(code, 'agent'), 'the agent');
    writeFileSync(join(code, 'corpus', 'task'), 'the reference');
    const { jail } = (await findJail([join(code, 'corpus')])) as { jail: Jail };
    const script = `pwd; cat ${code}/agent; echo; ls ${code}/corpus ${apart}; ls -d ${homedir()}/.ssh; ls -d /proc/[0-9]*; touch inside /x ${code}/x /usr/x; echo end`;
    const run = jail.wrap({ command: '/bin/sh', args: ['-c', script], folder: own, reads: [code], path: [] });
    const { stdout } = await promisify(execFile)(run.command, run.args, { env: { PATH: '/usr/bin:/bin' } });
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('/proc/'));
    expect(lines).toEqual(['/workspace', 'the agent', `${apart}:`, 'code', `${code}/corpus:`, 'end']);
    expect(stdout.match(/\/proc\//g)?.length).toBeLessThan(6);
    expect([readdirSync(own), readdirSync(code).sort()]).toEqual([['inside'], ['agent', 'corpus']]);
    rmSync(apart, { recursive: true });
  });

  it('is not had where bubblewrap is not installed or may not run, and that is said', async () => {
    expect(await findJail([], [])).toMatchObject({ jail: undefined, why: expect.stringContaining('not installed') });
    const apart = mkdtempSync(join(tmpdir(), 'treadle-bwrap-'));
    writeFileSync(
      join(apart, 'bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n',
      {
        mode: 0o755,
      },
    );
    expect(await findJail([], [apart])).toMatchObject({
      jail: undefined,
      why: 'bubblewrap does not run here: bwrap: No permissions to create new namespace',
    });
    rmSync(apart, { recursive: true });
  });
});
