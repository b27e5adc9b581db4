/** What became of the sessions that servers before this one left, for people and for scripts. */
import type { Recovered } from '../../serve/durable/session/recovery.js';

export type TakenCounts = Record<Recovered['outcome'], number>;

export const countOutcomes = (sessions: readonly Recovered[]): TakenCounts => {
  const counts: TakenCounts = { recovered: 0, rolled_back: 0, gone: 0, owned: 0, lost: 0 };
  for (const { outcome } of sessions) counts[outcome]++;
  return counts;
};

/** Empty where there was nothing to take up. */
export const takenLine = ({ recovered, rolled_back: rolledBack, lost }: TakenCounts): string => {
  const all = recovered + rolledBack;
  if (all + lost === 0) return '';
  const go = all === 1 ? '1 session of the server before goes on' : `${all} sessions of the server before go on`;
  const back = rolledBack > 0 ? `, ${rolledBack} of them without their last calls, which they are told` : '';
  return `${go}${back}${lost > 0 ? `; ${lost} cannot be read` : ''}.`;
};
