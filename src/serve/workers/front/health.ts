/** Why a worker should get no new sessions, by what it last reported. */
import type { FrontLimits } from './limits.js';
import type { Worker } from './worker.js';

const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

/** Undefined where nothing speaks against it. */
export const healthOf = (
  { report, silence }: Pick<Worker, 'report' | 'silence'>,
  { lateMs, memoryBytes, diskBytes }: Pick<FrontLimits, 'lateMs' | 'memoryBytes' | 'diskBytes'>,
): string | undefined => {
  if (silence > lateMs) return `has said nothing for ${Math.round(silence / 1_000)} s`;
  if (report === undefined) return undefined;
  const { rssBytes, freeBytes } = report;
  if (rssBytes > memoryBytes) return `uses ${mib(rssBytes)} of memory, more than ${mib(memoryBytes)}`;
  if (freeBytes !== undefined && freeBytes < diskBytes)
    return `has ${mib(freeBytes)} of disk left, less than ${mib(diskBytes)}`;
  return undefined;
};
