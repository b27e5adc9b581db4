/** 1. schema: all DDL runs with foreign keys on; every table has a primary key; every foreign key resolves; the image is sound. */
import { COUNTER_TABLE } from '../../world/ddl.js';
import type { ServiceSubject, ServiceValidator } from '../validator.js';
import { type Notes, takeNotes } from '../validator.js';

const MOST_KEPT = 500;
/** Outcome by the statements themselves: the same DDL on an empty database ends the same way. */
const ran = new Map<string, string | undefined>();

/** Runs the statements on an empty database; a reference to a table or key that is not there is a failure of the commit. */
const ddlFault = ({ world, service }: ServiceSubject): string | undefined => {
  const { ddl, ddlKey } = service.program;
  if (ran.has(ddlKey)) return ran.get(ddlKey);
  let fault: string | undefined;
  try {
    world.engine.build(ddl, () => undefined);
  } catch (thrown) {
    fault = thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (ran.size >= MOST_KEPT) ran.clear();
  ran.set(ddlKey, fault);
  return fault;
};

const runDdl = (subject: ServiceSubject, notes: Notes): void => {
  const fault = ddlFault(subject);
  if (fault === undefined) notes.saw(`${subject.service.program.ddl.length} statements run with foreign keys on`);
  else notes.against(`the DDL does not run: ${fault}`, 'schema', 'Mend the table definition that the message names.');
};

/** The image's tables against those declared. */
const compareTables = ({ service, spec }: ServiceSubject, notes: Notes): void => {
  const { tables } = service.pristine.base.schema;
  const rebuild = 'Build the image from the spec again.';
  for (const [name, table] of Object.entries(spec.tables)) {
    const built = tables.get(name);
    if (!built) {
      notes.against(`table ${name} is not in the image`, 'schema', rebuild);
      continue;
    }
    if (built.key !== table.key.col)
      notes.against(
        `the primary key of table ${name} in the image is ${built.key ?? 'missing'}`,
        'schema',
        `Declare ${table.key.col} PRIMARY KEY.`,
      );
    const columns = built.columns.map((column) => column.name).sort();
    if (columns.join() !== Object.keys(table.cols).sort().join())
      notes.against(`table ${name} of the image has other columns than declared`, 'schema', rebuild);
  }
  const stray = [...tables.keys()].find((name) => !spec.tables[name] && name !== COUNTER_TABLE);
  if (stray) notes.against(`the image holds a table ${stray} that is not declared`, 'schema', rebuild);
};

const checkReferences = ({ spec }: ServiceSubject, notes: Notes): void => {
  for (const [name, table] of Object.entries(spec.tables)) {
    for (const [col, { fk, type }] of Object.entries(table.cols)) {
      if (fk === undefined) continue;
      const parent = spec.tables[fk];
      const key = parent?.cols[parent.key.col];
      if (!parent || !key)
        notes.against(
          `${name}.${col} points to ${fk}, which does not exist`,
          'schema',
          'Point it to a table of the service, or drop the reference.',
        );
      else if (key.type !== type)
        notes.against(
          `${name}.${col} is ${type}, the key of ${fk} is ${key.type}`,
          'schema',
          'Give the reference the type of the key it holds.',
        );
    }
  }
};

export const schema: ServiceValidator = {
  id: 'schema',
  number: 1,
  title: 'The schema stands',
  run: (subject) => {
    const { service } = subject;
    const notes = takeNotes();
    runDdl(subject, notes);
    compareTables(subject, notes);
    checkReferences(subject, notes);
    service.connection.bind(service.pristine);
    const unsound = service.connection.integrity();
    if (unsound.length > 0) notes.against(`integrity check: ${unsound[0]}`, 'schema', 'Build the image again.');
    else notes.saw('integrity check ok');
    return notes.finding('schema');
  },
};
