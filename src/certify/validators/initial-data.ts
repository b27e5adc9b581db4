/** 2. initial data: row counts equal the manifest, every reference resolves, constraints and status machines hold. */
import type { Column, Table } from '../../artifacts/table.js';
import { SQL_TYPE } from '../../world/ddl.js';
import type { Connection } from '../../world/state/connection.js';
import type { Notes, ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Conditions on a cell that must never hold, each with its words; nulls are told apart by `required`. */
const cellRules = (col: string, column: Column, isKey: boolean): [sql: string, says: string][] => {
  const rules: [string, string][] = [];
  const numeric = SQL_TYPE[column.type] !== 'TEXT';
  if (column.required || isKey) rules.push([`"${col}" IS NULL`, 'hold nothing']);
  if (column.enum) rules.push([`"${col}" NOT IN (${column.enum.map(quote).join(', ')})`, 'hold no declared value']);
  if (column.type === 'bool') rules.push([`"${col}" NOT IN (0, 1)`, 'hold neither true nor false']);
  if (column.type === 'date') rules.push([`"${col}" % 86400 <> 0`, 'hold a time where a day is declared']);
  if (column.type === 'json') rules.push([`NOT json_valid("${col}")`, 'hold no JSON']);
  if (numeric && column.min !== undefined) rules.push([`"${col}" < ${column.min}`, `are below ${column.min}`]);
  if (numeric && column.max !== undefined) rules.push([`"${col}" > ${column.max}`, `are above ${column.max}`]);
  if (column.type === 'text' && column.maxLength !== undefined)
    rules.push([`length("${col}") > ${column.maxLength}`, `are longer than ${column.maxLength} characters`]);
  return rules;
};

/** All rules of a table in one pass over it: one statement that counts the rows which break each. */
const rulesOf = (name: string, table: Table, tables: Readonly<Record<string, Table>>): [string, string][] => [
  ...Object.entries(table.cols).flatMap(([col, column]): [string, string][] => {
    const parent = column.fk === undefined ? undefined : tables[column.fk];
    const key = parent?.key.col;
    return [
      ...cellRules(col, column, col === table.key.col).map(([sql, says]): [string, string] => [
        sql,
        `of ${name}.${col} ${says}`,
      ]),
      ...(key === undefined
        ? []
        : [
            [
              `"${col}" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "${column.fk}" AS parent WHERE parent."${key}" = "${name}"."${col}")`,
              `of ${name}.${col} point to no row of ${column.fk}`,
            ] as [string, string],
          ]),
    ];
  }),
  ...(table.check ?? []).map((check): [string, string] => [`NOT (${check})`, `of ${name} break ${check}`]),
];

const uniques = (table: Table): string[][] => [
  ...Object.keys(table.cols)
    .filter((col) => table.cols[col]?.unique || col === table.key.col)
    .map((col) => [col]),
  ...(table.unique ?? []),
];

const checkTable = (
  connection: Connection,
  subject: ServiceSubject,
  name: string,
  table: Table,
  notes: Notes,
): number => {
  const rules = rulesOf(name, table, subject.spec.tables);
  const sums = rules.map(([sql], i) => `coalesce(sum(${sql}), 0) AS r${i}`);
  const repeats = uniques(table).map((cols, i) => {
    const list = cols.map((col) => `"${col}"`).join(', ');
    const whole = cols.map((col) => `"${col}" IS NOT NULL`).join(' AND ');
    return `(SELECT count(*) FROM (SELECT 1 FROM "${name}" WHERE ${whole} GROUP BY ${list} HAVING count(*) > 1)) AS u${i}`;
  });
  const [found = {}] = connection
    .prepare(`SELECT count(*) AS n, ${[...sums, ...repeats].join(', ')} FROM "${name}"`)
    .all();
  const against = (line: string, hint: string): void => notes.against(line, 'data', hint);
  for (const [i, [, says]] of rules.entries())
    if (Number(found[`r${i}`]) > 0)
      against(`${found[`r${i}`]} rows ${says}`, 'Seed values that keep what the table declares.');
  for (const [i, cols] of uniques(table).entries())
    if (Number(found[`u${i}`]) > 0) against(`rows of ${name} repeat ${cols.join(', ')}`, 'Draw each value once.');
  const rows = Number(found.n);
  const promised = subject.manifest[name] ?? 0;
  if (rows !== promised)
    against(`${name} holds ${rows} rows, the manifest says ${promised}`, 'A row was lost while seeding; seed again.');
  return rows;
};

export const initialData: ServiceValidator = {
  id: 'initial_data',
  number: 2,
  title: 'The initial data is whole',
  run: (subject) => {
    const notes = takeNotes();
    const { connection, pristine } = subject.service;
    connection.bind(pristine);
    let total = 0;
    for (const [name, table] of Object.entries(subject.spec.tables))
      total += checkTable(connection, subject, name, table, notes);
    const broken = connection.ready().admin('PRAGMA foreign_key_check');
    if (broken.length > 0)
      notes.against(
        `${broken.length} references of ${broken[0]} lead nowhere`,
        'data',
        'Draw the value from the parent table.',
      );
    const unknown = Object.keys(subject.manifest).find((name) => !subject.spec.tables[name]);
    if (unknown) notes.against(`the manifest counts rows of ${unknown}, which does not exist`, 'data', 'Seed again.');
    notes.saw(
      `${total} rows in ${Object.keys(subject.spec.tables).length} tables, as the manifest says; every reference and constraint holds`,
    );
    return notes.finding('initial_data');
  },
};
