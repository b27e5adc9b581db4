/** The frame check: nothing changed but what the task allows (certify.md, "frame"). */
import type { Check } from '../artifacts/check.js';
import type { RowChange } from '../world/state/types.js';
import type { Evidence } from './evidence.js';

type Frame = Extract<Check, { kind: 'unchanged' }>;
type Allowance = Frame['except'][number];

const speaksOf = (allowance: Allowance, service: string, change: RowChange): boolean =>
  allowance.service === service &&
  allowance.table === change.table &&
  (allowance.keys === undefined || allowance.keys.includes(change.key));

const allowsUpdate = (allowance: Allowance, change: RowChange): boolean =>
  allowance.inserts === undefined &&
  allowance.deletes === undefined &&
  (allowance.cols === undefined || change.cols.every((col) => allowance.cols?.includes(col)));

/** The first change that no allowance covers, in words; undefined when the frame holds. */
export const outsideFrame = (check: Frame, evidence: Evidence): string | undefined => {
  const insertsLeft = new Map(check.except.map((allowance) => [allowance, allowance.inserts ?? 0]));
  for (const [service, changes] of Object.entries(evidence.changes)) {
    for (const change of changes) {
      const speaking = check.except.filter((allowance) => speaksOf(allowance, service, change));
      if (change.change === 'insert') {
        const room = speaking.find((allowance) => (insertsLeft.get(allowance) ?? 0) > 0);
        if (room) {
          insertsLeft.set(room, (insertsLeft.get(room) ?? 0) - 1);
          continue;
        }
      } else if (
        change.change === 'delete'
          ? speaking.some((allowance) => allowance.deletes)
          : speaking.some((allowance) => allowsUpdate(allowance, change))
      ) {
        continue;
      }
      const what = change.change === 'update' ? `${change.cols.join(', ')} of ${change.key}` : String(change.key);
      return `${change.change} in ${service}.${change.table}: ${what}`;
    }
  }
  return undefined;
};
