/** What a call did to the rows, in words: values where the calls were run again, else the columns that the ledger names. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { LedgerEntry } from '../../../artifacts/trace.js';
import type { ServiceChange } from '../../../rollout/retrace/retrace.js';
import type { SqlValue } from '../../../world/state/types.js';
import { storedValue } from '../../review/check-words.js';
import { cleanShort } from './clean.js';

const SIGN = { insert: '+', update: '~', delete: '-' } as const;
/** Characters of one value. */
const MOST = 60;

export interface ChangeLine {
  change: keyof typeof SIGN;
  text: string;
}

const value = (
  services: readonly ServiceSpec[],
  change: ServiceChange,
  col: string,
  of: SqlValue | undefined,
): string => cleanShort(of === null || of === undefined ? 'nothing' : storedValue(services, change, col, of), MOST);

const valuesOf = (services: readonly ServiceSpec[], change: ServiceChange): string => {
  const { before, after, cols, key } = change;
  const row = after ?? before;
  const told = cols.filter((col) => change.change === 'update' || (row?.[col] !== null && row?.[col] !== key));
  return told
    .map((col) =>
      change.change === 'update'
        ? `${col} ${value(services, change, col, before?.[col])} → ${value(services, change, col, after?.[col])}`
        : `${col} ${value(services, change, col, row?.[col])}`,
    )
    .join(', ');
};

/** With values. */
export const changeLines = (services: readonly ServiceSpec[], changes: readonly ServiceChange[]): ChangeLine[] =>
  changes.map((change) => ({
    change: change.change,
    text: `${SIGN[change.change]} ${change.service}.${change.table} ${cleanShort(String(change.key))}: ${valuesOf(services, change)}`,
  }));

/** From the ledger alone. */
export const touchLines = ({ touched }: Pick<LedgerEntry, 'touched'>): ChangeLine[] =>
  touched.map(({ service, table, key, change, cols }) => {
    const columns = change === 'update' && cols.length > 0 ? `: ${cols.join(', ')}` : '';
    return { change, text: `${SIGN[change]} ${service}.${table} ${cleanShort(String(key))}${columns}` };
  });
