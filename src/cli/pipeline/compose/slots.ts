/** Composes the slots of one world, one after another. */
import { rng } from '../../../kit/rng.js';
import { composeTask } from '../../../tasks/compose/compose.js';
import { strayCall } from '../../../tasks/generate.js';
import { prepareGround } from '../../../tasks/ground/ground.js';
import { accountOf } from '../../../tasks/model/account.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { Done, Slot } from './protocol.js';

const cpuMs = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return Math.round((user + system) / 1000);
};

const firstFault = (
  findings: readonly { id: string; pass: boolean; evidence: readonly string[] }[],
): string | undefined => {
  const failed = findings.find(({ pass }) => !pass);
  return failed && `${failed.id}: ${failed.evidence[0] ?? ''}`;
};

/** What comes of each slot depends on the world, the seed and the slot alone. */
export const composeSlots = (
  world: LoadedWorld,
  slots: readonly Slot[],
  seed: string,
  wantsAccounts = false,
): Done[] => {
  const ground = prepareGround(world);
  const stray = strayCall(ground, rng(seed, 'compose', world.spec.id, 'stray'));
  const used = new Map<string, number>();
  return slots.map((slot): Done => {
    const started = process.cpuUsage();
    const { words } = slot;
    const made = composeTask(ground, {
      ...slot,
      services: new Set(slot.services),
      stray,
      uses: (errand) => used.get(errand) ?? 0,
      random: rng(seed, 'compose', world.spec.id, slot.id, String(slot.attempt)),
      ...(words ? { reword: (task) => ({ ...task, ...words }) } : {}),
    });
    const { index } = slot;
    if (typeof made === 'string') return { index, why: made, cpuMs: cpuMs(started) };
    const { task, certificate } = made;
    const why = firstFault(certificate.findings);
    if (task.process) used.set(task.process.id, (used.get(task.process.id) ?? 0) + 1);
    return why === undefined
      ? {
          index,
          task,
          certificate,
          ...(wantsAccounts ? { account: accountOf(ground, task) } : {}),
          cpuMs: cpuMs(started),
        }
      : { index, why, cpuMs: cpuMs(started) };
  });
};
