/** 11. determinism: two fresh processes, a whole batch of worlds each, must agree to the byte (certify.md). */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../artifacts/certificate.js';
import { TreadleError } from '../../errors.js';
import type { JobResult, Script } from './script.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../dist/certify/determinism/child.js', import.meta.url));

const failure = (why: string, stderr: string): TreadleError =>
  new TreadleError({
    code: 'child_failed',
    message: `The second process did not finish: ${why}`,
    value: stderr.trim().slice(-300) || undefined,
    next: 'Run npm run build, then try again.',
    fault: 'infrastructure',
  });

/** The answers in a child's output, one JSON object a line; undefined when a line is none. */
const answersIn = (out: string): JobResult[] | undefined => {
  try {
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as JobResult);
  } catch {
    return undefined;
  }
};

/** Runs the script in a process of its own. Throws `child_failed` when it dies without an answer for every job. */
export const inFreshProcess = (script: Script, program = CHILD): Promise<JobResult[]> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const stderr = (): string => Buffer.concat(err).toString('utf8');
    child.on('error', (error) => reject(failure(error.message, stderr())));
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => err.push(data));
    child.on('close', (code, signal) => {
      const answers = answersIn(Buffer.concat(out).toString('utf8'));
      if (!answers) reject(failure('it answered something else than results', stderr()));
      else if (answers.length === script.jobs.length && code === 0) resolve(answers);
      else
        reject(
          failure(`${answers.length} of ${script.jobs.length} jobs answered, exit status ${code ?? signal}`, stderr()),
        );
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(script));
  });

const differences = (a: JobResult, b: JobResult): string[] => {
  if (a.error ?? b.error) return [`could not be run: ${a.error ?? b.error}`];
  if (a.world !== b.world) return [`two processes answered about different worlds: ${a.world} and ${b.world}`];
  const out: string[] = [];
  if (a.observations !== b.observations) out.push('two processes observed different results');
  if (a.state !== b.state) out.push('two processes ended in different states');
  if (a.state !== a.restored || b.state !== b.restored) out.push('snapshot and restore changed the state');
  for (const id of new Set([...Object.keys(a.tasks), ...Object.keys(b.tasks)])) {
    const end = a.tasks[id] ?? 'missing';
    if (end !== b.tasks[id]) out.push(`task ${id} ended differently in two processes`);
    else if (!end.startsWith('pass')) out.push(`the reference of task ${id} fails in a fresh process`);
  }
  return out;
};

/** The finding on one world from what two processes answered. */
export const judgeDeterminism = (a: JobResult, b: JobResult, calls: number): Finding => {
  const faults = differences(a, b);
  const tasks = Object.keys(a.tasks).length;
  const saw = `${calls} calls${tasks > 0 ? ` and ${tasks} references` : ''} in two fresh processes: state ${a.state.slice(0, 12)} in both, unchanged by snapshot and restore`;
  return faults.length === 0
    ? { id: 'determinism', pass: true, evidence: [saw] }
    : {
        id: 'determinism',
        pass: false,
        evidence: faults,
        repair: { part: 'steps', hint: 'Something reads a clock, an order or a number that is not seeded.' },
      };
};

/** Runs the batch in two fresh processes at once; one finding a world, by world id. */
export const checkDeterminism = async (script: Script): Promise<Map<string, Finding>> => {
  if (script.jobs.length === 0) return new Map();
  const [first, second] = await Promise.all([inFreshProcess(script), inFreshProcess(script)]);
  return new Map(
    first.map((result, i) => [
      result.world,
      judgeDeterminism(result, second[i] as JobResult, script.jobs[i]?.calls.length ?? 0),
    ]),
  );
};
