/** A run shared by processes, world by world. Each keeps its worlds' rollouts itself; what they come to is told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Fault, TreadleError } from '../../../errors.js';
import type { FromRoller, ToRoller } from './crew-protocol.js';
import type { Picked } from './pick.js';
import type { RolloutOptions } from './plan.js';
import type { RunEnd, RunPlan } from './run.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/roll/crew-child.js', import.meta.url));
/** How often a world may take its process down with it. */
const MOST_DEATHS = 2;
const MOST_SAID = 2_000;

export interface CrewRun extends Pick<RunPlan, 'stop' | 'onKept' | 'onSkipped'> {
  dir: string;
  options: RolloutOptions;
  picked: readonly Picked[];
  jobs: number;
}

const died = (world: string, how: string): TreadleError =>
  new TreadleError({
    code: 'worker_died',
    message: `A process died ${MOST_DEATHS} times over the rollouts of ${world}`,
    value: how,
    next: 'Give it more memory or fewer --jobs, and run the same command again: it goes on where it stopped.',
    fault: 'infrastructure',
  });

/** As `runRollouts`. A process that dies is replaced, and its world goes on where its file ends. */
export const crewRollouts = (run: CrewRun): Promise<RunEnd> =>
  new Promise((resolve) => {
    const waiting = [...run.picked].reverse();
    const deaths = new Map<string, number>();
    const busy = new Set<ChildProcess>();
    const end: RunEnd = { lost: 0, isSpent: false };
    /** Rollouts that are told of already: a world that is begun anew tells of them once more. */
    const told = new Set<string>();

    const fail = (thrown: unknown): void => {
      end.failure ??= thrown;
      run.stop.abort();
    };
    const isOver = (): boolean => waiting.length === 0 || run.stop.signal.aborted;
    const settle = (): void => {
      if (busy.size > 0 || !isOver()) return;
      run.stop.signal.removeEventListener('abort', onStop);
      resolve(end);
    };

    const start = (): void => {
      const child = spawn(process.execPath, [CHILD], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        serialization: 'advanced',
      });
      let said = '';
      let world: Picked | undefined;
      const send = (message: ToRoller): void => {
        if (child.connected) child.send(message, () => undefined);
      };
      const next = (): void => {
        world = isOver() ? undefined : waiting.pop();
        if (world) send({ picked: world });
        else {
          busy.delete(child);
          send('end');
          settle();
        }
      };
      const gone = (): void => {
        if (!busy.delete(child)) return;
        if (world) {
          const times = (deaths.get(world.world) ?? 0) + 1;
          deaths.set(world.world, times);
          const how = `${child.signalCode ?? `exit status ${child.exitCode}`} ${said.trim().slice(-300)}`.trim();
          if (times >= MOST_DEATHS) fail(died(world.world, how));
          else waiting.push(world);
        }
        if (!isOver()) start();
        settle();
      };
      busy.add(child);
      child.stderr?.on('data', (data: Buffer) => {
        said = (said + data.toString('utf8')).slice(-MOST_SAID);
      });
      child.on('message', (message: FromRoller) => {
        if ('kept' in message) {
          told.add(message.kept.id);
          run.onKept(message.kept);
        } else if ('skipped' in message) run.onSkipped(message.skipped.filter(({ id }) => !told.has(id)));
        else {
          end.lost += message.lost;
          if (message.failed) fail(new TreadleError({ ...message.failed, fault: message.failed.fault as Fault }));
          next();
        }
      });
      child.on('error', gone);
      child.on('close', gone);
      send({ dir: run.dir, options: run.options });
      next();
    };

    const onStop = (): void => {
      for (const child of busy) if (child.connected) child.send('stop', () => undefined);
    };
    run.stop.signal.addEventListener('abort', onStop);
    for (let n = 0; n < Math.min(run.jobs, run.picked.length); n++) start();
    settle();
  });
