/** 1. schema: all DDL runs with foreign keys on; every table has a primary key; every foreign key resolves; the image is sound. */
import type { ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';

export const schema: ServiceValidator = {
  id: 'schema',
  number: 1,
  title: 'The schema stands',
  run: ({ service, spec, world }) => {
    const notes = takeNotes();
    try {
      world.engine.build(service.program.ddl, () => undefined);
      notes.saw(`${service.program.ddl.length} statements run with foreign keys on`);
    } catch (thrown) {
      notes.against(
        `the DDL does not run: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        'schema',
        'Mend the table definition that the message names.',
      );
    }
    const { tables } = service.pristine.base.schema;
    for (const [name, table] of Object.entries(spec.tables)) {
      const built = tables.get(name);
      if (!built) notes.against(`table ${name} is not in the image`, 'schema', 'Build the image from the spec again.');
      else if (built.key === undefined)
        notes.against(
          `table ${name} has no primary key in the image`,
          'schema',
          `Declare ${table.key.col} PRIMARY KEY.`,
        );
      for (const [col, column] of Object.entries(table.cols)) {
        if (column.fk && !spec.tables[column.fk])
          notes.against(
            `${name}.${col} points to ${column.fk}, which does not exist`,
            'schema',
            'Point it to a table of the service, or drop the reference.',
          );
      }
    }
    service.connection.bind(service.pristine);
    const unsound = service.connection.integrity();
    if (unsound.length > 0) notes.against(`integrity check: ${unsound[0]}`, 'schema', 'Build the image again.');
    else notes.saw('integrity check ok');
    return notes.finding('schema');
  },
};
