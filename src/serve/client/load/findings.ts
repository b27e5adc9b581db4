/** What the figures mean, in words. */
import type { ServerInfo } from '../../api.js';
import type { CallingStep } from './calling.js';
import type { MachineCheck } from './machine.js';
import type { OpeningReport } from './opening.js';

export interface Measured {
  before: ServerInfo;
  after: ServerInfo;
  opening: OpeningReport;
  calling: readonly CallingStep[];
}

const many = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** Resident memory that each session brought, KiB; undefined where there were too few to tell. */
export const sessionKiB = ({ before, after, opening }: Measured): number | undefined =>
  opening.opened < 20
    ? undefined
    : Math.max(0, Math.round(((after.rssMiB - before.rssMiB) * 1024 * 10) / opening.opened) / 10);

export const bestOf = (steps: readonly CallingStep[]): CallingStep | undefined =>
  steps.reduce<CallingStep | undefined>(
    (best, step) => (step.perSecond > (best?.perSecond ?? 0) ? step : best),
    undefined,
  );

/** From what share of a core on the asking process itself is what was measured. */
const BUSY = 85;

const limitOf = (steps: readonly CallingStep[], best: CallingStep): string => {
  const last = steps.at(-1)!;
  if (last.failed > 0)
    return `Calls failed at ${last.concurrency} at once (${last.failed} of ${last.calls}; first ${last.error?.code}: ${last.error?.message}).`;
  if (best.ownLoad >= BUSY)
    return `This doctor was itself busy for ${Math.round(best.ownLoad)} % of a core then, so the server may take more: ask from several machines to see.`;
  if (last === best) return 'It still grew with the last step; more sessions would show where it ends.';
  return `More at once only wait longer (p95 ${many(last.ms.p95)} ms at ${last.concurrency}): the server's processor is the limit.`;
};

const opened = ({ opening, before, after }: Measured): string[] => {
  const { asked, refused } = opening;
  const lines = [
    `It opened ${many(opening.opened)} of ${many(asked)} sessions, ${many(opening.perSecond)} a second (p50 ${many(opening.ms.p50)} ms, p95 ${many(opening.ms.p95)} ms).`,
  ];
  if (refused?.code === 'at_capacity')
    lines.push(
      `Its capacity of ${many(after.capacity)} sessions is the limit: raise it, or close sessions that are no longer used.`,
    );
  else if (refused) lines.push(`Then it refused: ${refused.code}: ${refused.message}`);
  if (before.refusing !== undefined) lines.push(`It was refusing sessions before the start: ${before.refusing}`);
  return lines;
};

/** One sentence each. */
export const findings = (measured: Measured): string[] => {
  const { before, after, calling } = measured;
  const lines = opened(measured);
  const each = sessionKiB(measured);
  if (each !== undefined)
    lines.push(
      `Its resident memory went from ${many(before.rssMiB)} to ${many(after.rssMiB)} MiB: ${many(each)} KiB a session that had answered calls.`,
    );
  const best = bestOf(calling);
  if (best)
    lines.push(
      `It answered ${many(best.perSecond)} read-only calls a second with ${best.concurrency} at once (p50 ${many(best.ms.p50)} ms, p95 ${many(best.ms.p95)} ms, p99 ${many(best.ms.p99)} ms).`,
      limitOf(calling, best),
    );
  else if (calling.length > 0) lines.push(limitOf(calling, calling[0]!));
  return lines;
};

/** Whether the machine, and the server where one was asked, takes what was asked for. */
export const isWell = (machine: readonly MachineCheck[], measured?: Measured): boolean =>
  machine.every(({ ok }) => ok) &&
  (measured === undefined ||
    (measured.opening.refused === undefined && measured.calling.every(({ failed }) => failed === 0)));
