/** Whether two runs left the same, but for the moments at which things were done and the ids that new rows got. */
import { canonicalJson } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { RowChange } from '../../world/state/types.js';

/** One change without stamps and ids of its own. */
const essence = (session: Session, service: string, change: RowChange): string => {
  const spec = session.world.services.get(service)?.spec.tables[change.table];
  const isStamp = (col: string): boolean => {
    const column = spec?.cols[col];
    return (
      column?.type === 'datetime' || column?.auto !== undefined || (change.change === 'insert' && col === spec?.key.col)
    );
  };
  const after = Object.fromEntries(Object.entries(change.after ?? {}).filter(([col]) => !isStamp(col)));
  return canonicalJson({
    table: `${service}.${change.table}`,
    change: change.change,
    ...(change.change === 'insert' ? {} : { key: change.key }),
    after,
  } as never);
};

const essences = (session: Session): string[] =>
  Object.entries(session.diff())
    .flatMap(([service, changes]) => changes.map((change) => essence(session, service, change)))
    .sort();

export const leftAlike = (one: Session, other: Session): boolean =>
  one.equals(other) || canonicalJson(essences(one)) === canonicalJson(essences(other));
