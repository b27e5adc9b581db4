/** treadle import tau2: the folder read, the world built and proved to be the folder's, every reference replayed, every task judged. */
import type { BuiltWorld } from '../../../../author/assemble.js';
import { type CertifiedWorld, certifyWorld } from '../../../../certify/certify.js';
import { prepareGround } from '../../../../tasks/ground/ground.js';
import { type LoadedService, loadWorld, unloadWorld } from '../../../../world/loaded.js';
import type { Engine } from '../../../../world/state/engine.js';
import { type Judged, judgeTask } from './judge.js';
import { withLookUps } from './look-ups.js';
import { readTau2 } from './read.js';
import { assertFaithful, assertTools, type Comparison, compared, type Replayed, replayTask } from './replays.js';
import { retailService } from './service.js';
import { type GateReport, gateReport } from './table.js';
import { taskFrom } from './tasks.js';
import { worldOf } from './world.js';

export interface Tau2Options {
  seed: string;
  /** Another ServiceSpec than the package's own. */
  service?: string;
  /** Completes references with the look-ups that their writes presuppose. */
  lookUps?: boolean;
  onTask?: (done: number, of: number) => void;
}

export interface Quarantined {
  task: string;
  reason: string;
}

export interface Tau2Import {
  built: BuiltWorld;
  certified: CertifiedWorld;
  judged: Judged[];
  quarantined: Quarantined[];
  gate: GateReport;
  /** Undefined where the folder has no answer key. */
  replays: { equal: number; results: number; different: string[]; missing: string[] } | undefined;
  licence: string | undefined;
  /** Tasks in the folder. */
  total: number;
}

const reasonOf = ({ raised }: Replayed): string => `its reference raises: ${raised?.name}: ${raised?.error}`;

/** Reads and checks everything; writes nothing. Throws what is wrong with the folder. */
export const importTau2 = (engine: Engine, dir: string, options: Tau2Options): Tau2Import => {
  const folder = readTau2(dir);
  const spec = retailService(options.service);
  const built = worldOf(engine, folder, spec, options.seed);
  const world = loadWorld(engine, built);
  const service = world.services.get(spec.id) as LoadedService;
  assertTools(service, folder.tasks);
  assertFaithful(service, folder.db);
  const ground = prepareGround(world);
  const judged: Judged[] = [];
  const quarantined: Quarantined[] = [];
  const comparisons = new Map<string, Comparison | undefined>();
  for (const task of folder.tasks) {
    let replayed = replayTask(ground, service, folder.db, task);
    const recorded = folder.recorded?.get(task.id);
    comparisons.set(task.id, recorded && compared(replayed, recorded));
    if (replayed.raised) quarantined.push({ task: task.id, reason: reasonOf(replayed) });
    else {
      if (options.lookUps) replayed = withLookUps(ground, service, replayed);
      judged.push(
        judgeTask(ground, service, taskFrom({ ground, service, splits: folder.splits }, replayed), options.seed),
      );
    }
    replayed.session.drop();
    options.onTask?.(comparisons.size, folder.tasks.length);
  }
  const certified = certifyWorld(world);
  unloadWorld(world);
  const entries = [...comparisons];
  return {
    built,
    certified,
    judged,
    quarantined,
    gate: gateReport(judged),
    replays: folder.recorded && {
      equal: entries.filter(([, one]) => one?.changed).length,
      results: entries.filter(([, one]) => one?.results).length,
      different: entries.flatMap(([id, one]) => (one && !one.changed ? [id] : [])),
      missing: entries.flatMap(([id, one]) => (one ? [] : [id])),
    },
    licence: folder.licence,
    total: folder.tasks.length,
  };
};
