/** Which columns the parameters of paths name rows by, read from the steps behind the operations. */
import type { Step, Value } from '../../../artifacts/step.js';
import type { Table } from '../../../artifacts/table.js';
import type { DocParam } from '../../openapi/types.js';
import type { FaceDraft } from '../draft.js';
import type { ListDraft } from '../lists.js';

export interface Named {
  table: string;
  col: string;
  param: DocParam;
}

interface Match {
  table: string;
  col: string;
  value: Value;
}

/** Comparisons with one value, and what a step binds under another name. */
const matchesIn = (steps: readonly Step[], other: Map<string, string>): Match[] =>
  steps.flatMap((step): Match[] => {
    if ('sql' in step) {
      const [given, more] = step.sql.params ?? [];
      // An argument turned into the column's own type, by a statement that asks for nothing else.
      if (typeof given === 'string' && more === undefined && /AS "key_named" FROM "\w+" WHERE/.test(step.sql.query))
        other.set(`$${step.sql.as}.key_named`, given);
      return [];
    }
    if ('if' in step) return matchesIn(step.if.do, other);
    if ('each' in step) return matchesIn(step.each.do, other);
    if ('find' in step)
      return (step.find.where ?? []).flatMap(({ col, op, value }) =>
        op === 'eq' && value !== undefined ? [{ table: step.find.table, col, value }] : [],
      );
    const looked =
      'get' in step ? step.get : 'update' in step ? step.update : 'delete' in step ? step.delete : undefined;
    return looked ? Object.entries(looked.where).map(([col, value]) => ({ table: looked.table, col, value })) : [];
  });

const paramsIn = ({ args, tool, sighting }: FaceDraft): Map<string, DocParam> => {
  const out = new Map<string, DocParam>();
  const paths = args.filter((origin) => origin.in === 'path' && origin.at === undefined);
  if (paths.length === 0) return out;
  for (const [name, arg] of Object.entries(tool.args)) {
    const origin = paths.find(({ to }) => to.join('.') === (arg.field ?? name));
    if (!origin) continue;
    const param = sighting.op.params.find((one) => one.in === 'path' && one.name === origin.name);
    // Of `{sha}.{diffType}` neither is what names the row.
    const isWhole = sighting.op.path.split('/').some((part) => part.replace(/:\w+$/, '') === `{${param?.name}}`);
    if (param && isWhole) out.set(name, param);
  }
  return out;
};

/** A column that refers to another table stands for that one's key. */
const homeOf = (tables: Record<string, Table>, table: string, col: string): { table: string; col: string } => {
  const seen = new Set<string>();
  let at = { table, col };
  for (;;) {
    const fk = tables[at.table]?.cols[at.col]?.fk;
    const target = fk === undefined ? undefined : tables[fk];
    if (fk === undefined || !target || seen.has(fk)) return at;
    seen.add(fk);
    at = { table: fk, col: target.key.col };
  }
};

/** `lists`: by the label of the operation. */
export const namedInPaths = (
  tables: Record<string, Table>,
  drafts: readonly FaceDraft[],
  lists: ReadonlyMap<string, ListDraft>,
): Named[] =>
  drafts.flatMap((draft): Named[] => {
    const list = lists.get(draft.sighting.op.label);
    const { tool } = draft;
    const params = paramsIn({ ...draft, tool: { ...tool, args: { ...list?.scopeArgs, ...tool.args } } });
    if (params.size === 0) return [];
    const other = new Map<string, string>();
    const matches = matchesIn([...(list?.scope.steps ?? []), ...(tool.steps ?? [])], other);
    const filters = Object.entries(tool.args).flatMap(([name, { role, col, op }]): Match[] =>
      (role === 'filter' || role === 'key') && col !== undefined && (op === undefined || op === 'eq')
        ? [{ table: tool.table, col, value: `$args.${name}` }]
        : [],
    );
    return [...matches, ...filters].flatMap(({ table, col, value }) => {
      const said = typeof value === 'string' ? (other.get(value) ?? value) : '';
      const param = params.get(/^\$args\.(\w+)$/.exec(said)?.[1] ?? '');
      return param ? [{ ...homeOf(tables, table, col), param }] : [];
    });
  });
