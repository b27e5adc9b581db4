/** 2. initial data: row counts equal the manifest, every reference resolves, constraints and machines hold. */
import type { ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

export const initialData: ServiceValidator = {
  id: 'initial_data',
  number: 2,
  title: 'The initial data is whole',
  run: ({ service, spec, manifest }) => {
    const notes = takeNotes();
    const { connection, pristine } = service;
    connection.bind(pristine);
    const count = (sql: string): number => Number(connection.prepare(sql).get()?.n ?? 0);
    let total = 0;
    for (const [name, table] of Object.entries(spec.tables)) {
      const rows = count(`SELECT count(*) AS n FROM "${name}"`);
      total += rows;
      if (rows !== (manifest[name] ?? 0))
        notes.against(
          `${name} holds ${rows} rows, the manifest says ${manifest[name] ?? 0}`,
          'data',
          'A row was lost while seeding; seed again.',
        );
      for (const [col, column] of Object.entries(table.cols)) {
        const parent = column.fk ? spec.tables[column.fk] : undefined;
        if (parent) {
          const orphans = count(
            `SELECT count(*) AS n FROM "${name}" c LEFT JOIN "${column.fk}" p ON p."${parent.key.col}" = c."${col}" WHERE c."${col}" IS NOT NULL AND p."${parent.key.col}" IS NULL`,
          );
          if (orphans > 0)
            notes.against(
              `${orphans} rows of ${name}.${col} point to no row of ${column.fk}`,
              'data',
              'Draw the value from the parent table.',
            );
        }
        if (column.required) {
          const missing = count(`SELECT count(*) AS n FROM "${name}" WHERE "${col}" IS NULL`);
          if (missing > 0)
            notes.against(`${missing} rows of ${name} have no ${col}`, 'data', 'Give every row a value.');
        }
        if (column.enum) {
          const list = column.enum.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ');
          const strange = count(
            `SELECT count(*) AS n FROM "${name}" WHERE "${col}" IS NOT NULL AND "${col}" NOT IN (${list})`,
          );
          if (strange > 0)
            notes.against(
              `${strange} rows of ${name}.${col} hold no declared value`,
              'data',
              'Use the values of the enum.',
            );
        }
      }
      for (const check of table.check ?? []) {
        const broken = count(`SELECT count(*) AS n FROM "${name}" WHERE NOT coalesce((${check}), 1)`);
        if (broken > 0)
          notes.against(`${broken} rows of ${name} break ${check}`, 'data', 'Seed values that keep the check.');
      }
    }
    notes.saw(`${total} rows in ${Object.keys(spec.tables).length} tables, as the manifest says`);
    return notes.finding('initial_data');
  },
};
