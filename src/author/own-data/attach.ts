/** A draft that will hold a user's rows: fitted to its tables, with room made for them. */
import type { WorldDraft } from '../draft.js';
import { fitOwnRows } from './fit.js';
import { MOST_FILLED } from './lay.js';
import { ownerOf } from './parts.js';
import type { OwnTable } from './types.js';

/** Rows that the seeder makes of a thing with a life cycle, about. */
const USUAL = 48;
const LEAST = 12;

/** Throws `data_does_not_fit`. */
export const attachOwnRows = (draft: WorldDraft, tables: readonly OwnTable[]): WorldDraft => {
  const specs = draft.services.map(({ spec }) => spec);
  const own = fitOwnRows(tables, specs, draft.company.currency);
  const services = draft.services.map((service) => {
    const mine = own[service.spec.id];
    if (!mine) return service;
    const wanted = Object.entries(service.spec.tables).map(([name, table]) => {
      const given = mine[name]?.length ?? 0;
      // With a life cycle others stand beside them, as many as there would be anyway.
      const least = table.machine ? (table.rows ?? USUAL) : LEAST;
      const rows = Math.min(MOST_FILLED, Math.max(given, least));
      // There are as many parts as rows to have them.
      const isEnough = given === 0 || ownerOf(table) !== undefined || (table.machine && given <= least);
      return [name, isEnough ? table : { ...table, rows }];
    });
    return { ...service, spec: { ...service.spec, tables: Object.fromEntries(wanted) } };
  });
  return {
    ...draft,
    services,
    own,
    brief: {
      ...draft.brief,
      evidence: [
        ...draft.brief.evidence,
        ...Object.entries(own).flatMap(([service, mine]) =>
          Object.entries(mine).map(([table, rows]) => ({
            choice: `${rows.length} rows of ${service}.${table}`,
            because: `given in ${(rows[0]?.at ?? '').replace(/, (line|row) .*$/, '')}`,
            kind: 'words' as const,
          })),
        ),
      ],
    },
  };
};
