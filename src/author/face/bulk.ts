/** Bodies that are lists: a row is made, changed or taken away for each item, all in one call. */
import type { Step, Value } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { manyRows, oneRow, type Shown } from './answers.js';
import { insideJson } from './convert.js';
import { type Drafted, draftOf, type Subject } from './draft.js';
import { addInput, noInputs, type Origin } from './inputs.js';
import { type Scope, scopeOf } from './scope.js';
import { writtenFields } from './sets.js';

/** Counts the rows that calls for many have written, so that a call can show its own. */
export const MARK = 'written_at_once';
const MOST_SHOWN = 1_000;
const MANY_ROWS = 'takes many rows at once';

const literal = (value: unknown): string =>
  typeof value === 'number'
    ? String(value)
    : typeof value === 'boolean'
      ? String(Number(value))
      : `'${String(value).replaceAll("'", "''")}'`;

/** Columns of each item of the list, as the columns store them. */
const selected = (subject: Subject): Record<string, string> => {
  const { entity } = subject;
  const out: Record<string, string> = {};
  for (const { field, col } of writtenFields(subject).fields) {
    const column = entity.columns.facts.get(col)?.column;
    const sql = column && insideJson('value', field.path, column);
    if (!column || !sql || field.readOnly || out[col] !== undefined) continue;
    const standard = column.default;
    out[col] = standard === undefined || standard === null ? sql : `coalesce(${sql}, ${literal(standard)})`;
  }
  return out;
};

const originOf = ({ sighting: { op, body } }: Subject): Origin | undefined =>
  op.body === undefined || !body ? undefined : { in: 'body', at: body.path };

const markColumn = ({ entity }: Subject): void => {
  if (!entity.columns.facts.has(MARK)) entity.columns.add(MARK, { type: 'int', hidden: true }, 'path');
};

const answerOf = (subject: Subject): Shown => {
  const { answer } = subject.sighting;
  if (answer?.many) return manyRows(subject, 'written');
  if (answer) return oneRow(subject, 'first');
  return { answer: { kind: 'done', path: [] }, returns: { done: true } };
};

/** The rows written after `last`, in the order of the list; `first` alone where the answer shows one. */
const shownSteps = (table: string, one: boolean): Step[] => [
  {
    find: {
      table,
      where: [{ col: MARK, op: 'gt', value: '$last.n' }],
      order: [{ col: MARK }],
      limit: MOST_SHOWN,
      as: 'written',
    },
  },
  ...(one ? [{ get: { table, where: { [MARK]: '$last.first' }, as: 'first' } }] : []),
];

/** `POST /items` with a list: new rows, and rows changed where an item names one that is there. A PUT of known rows changes them too. */
export const bulkDraft = (subject: Subject, mode: 'create' | 'update'): Drafted => {
  const { entity, sighting } = subject;
  const table = entity.name;
  const origin = originOf(subject);
  if (!origin || !entity.columns.bodies.has(sighting.op.label)) return MANY_ROWS;
  const cols = selected(subject);
  const { keyCol } = entity.columns;
  if (Object.keys(cols).length === 0 || (mode === 'update' && cols[keyCol] === undefined)) return MANY_ROWS;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'create');
  markColumn(subject);
  const arg: Arg = { type: 'json', role: 'input', required: true };
  const name = addInput(inputs, 'items', arg, origin);
  const names = Object.keys(cols);
  const query = `SELECT ${names.map((col) => `${cols[col]} AS "${col}"`).join(', ')} FROM json_each(?)`;
  const mark = { [MARK]: '$mark.n' };
  const nextMark: Step = {
    sql: { query: `SELECT coalesce(max("${MARK}"), 0) + 1 AS "n" FROM "${table}"`, as: 'mark', one: true },
  };
  const set = (withKey: boolean): Record<string, Value> => ({
    ...Object.fromEntries(names.filter((col) => withKey || col !== keyCol).map((col) => [col, `$item.${col}`])),
    ...scope.held,
    ...mark,
  });
  const insert = (withKey: boolean): Step => ({ insert: { table, set: set(withKey) } });
  const change: Step = {
    update: { table, where: { [keyCol]: `$old.${keyCol}` }, set: changed(names, keyCol, mark) },
  };
  const lookUp = (refuse: boolean): Step => ({
    get: {
      table,
      where: { ...only(scope, mode), [keyCol]: `$item.${keyCol}` },
      as: 'old',
      ...(refuse ? { else: { error: 'not_found', message: `There is no ${entity.table.noun} of that key.` } } : {}),
    },
  });
  // An id is made where an item has none; a name must be given.
  const isNamed = !/(^|_)(id|uuid|guid|sid|gid|uid|key)$/.test(keyCol);
  const each: Step[] =
    mode === 'update'
      ? [nextMark, lookUp(true), change]
      : cols[keyCol] === undefined
        ? [nextMark, insert(false)]
        : [
            nextMark,
            { if: { that: `item.${keyCol} == null`, do: [insert(isNamed)] } },
            {
              if: {
                that: `item.${keyCol} != null`,
                do: [
                  lookUp(false),
                  { if: { that: 'old == null', do: [insert(true)] } },
                  { if: { that: 'old != null', do: [change] } },
                ],
              },
            },
          ];
  const shown = answerOf(subject);
  const steps: Step[] = [
    ...scope.steps,
    { sql: { query, params: [`$args.${name}`], as: 'items' } },
    {
      sql: {
        query: `SELECT coalesce(max("${MARK}"), 0) AS "n", coalesce(max("${MARK}"), 0) + 1 AS "first" FROM "${table}"`,
        as: 'last',
        one: true,
      },
    },
    { each: { in: '$items', as: 'item', do: each } },
    ...(shown.answer.kind === 'done' ? [] : shownSteps(table, shown.answer.kind === 'row')),
  ];
  const changes = mode === 'update' || cols[keyCol] !== undefined;
  const draft = draftOf(
    subject,
    {
      op: 'action',
      steps,
      reads: [...scope.reads, table],
      writes: [
        {
          table,
          ...(mode === 'create' ? { insert: true as const } : {}),
          ...(changes ? { cols: [...names.filter((col) => col !== keyCol), MARK] } : {}),
        },
      ],
      inputs,
      shown,
    },
    { verb: `${mode}_many`, evidence: 'its body lists rows of what its collection shows' },
  );
  return { ...draft, settles: settledBy(subject, draft.tool, mode) };
};

/** As if each item were the body of a call of its own. */
const settledBy = (subject: Subject, tool: Tool, mode: 'create' | 'update'): Tool => {
  const args = writtenFields(subject).fields.map(({ field, col }): [string, Arg] => [
    col,
    { type: 'text', role: 'set', col, ...(field.required && mode === 'create' ? { required: true } : {}) },
  ]);
  return { ...tool, op: mode, args: Object.fromEntries(args) };
};

/** What an item leaves out stays as it is. */
const changed = (names: readonly string[], keyCol: string, mark: Record<string, Value>): Record<string, Value> => ({
  ...Object.fromEntries(
    names
      .filter((col) => col !== keyCol)
      .map((col) => [col, `item.${col} == null ? dyn(old.${col}) : dyn(item.${col})`]),
  ),
  ...mark,
});

const only = (scope: Scope, mode: 'create' | 'update'): Record<string, Value> => (mode === 'update' ? scope.held : {});
