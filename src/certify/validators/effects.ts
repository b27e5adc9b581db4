/**
 * 6. effects: a read changes nothing and returns what an independent query of the state returns; a write changes something,
 * only where it declares to, and a later read shows it.
 */
import type { Write } from '../../artifacts/tool.js';
import type { Probe } from '../probes.js';
import type { Notes, ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';
import { compareReads, shows } from './reads.js';

const allowed = (
  writes: readonly Write[],
  table: string,
  change: 'insert' | 'update' | 'delete',
  cols: readonly string[],
): boolean =>
  writes.some(
    (write) =>
      write.table === table &&
      (change === 'insert'
        ? write.insert === true
        : change === 'delete'
          ? write.delete === true
          : cols.every((col) => write.cols?.includes(col))),
  );

/** The columns that updates of one table may touch, over all its declared writes. */
const merged = (writes: readonly Write[]): Write[] => {
  const byTable = new Map<string, Write>();
  for (const write of writes) {
    const old = byTable.get(write.table) ?? { table: write.table };
    byTable.set(write.table, { ...old, ...write, cols: [...(old.cols ?? []), ...(write.cols ?? [])] });
  }
  return [...byTable.values()];
};

const checkWrite = (subject: ServiceSubject, probe: Probe, notes: Notes): void => {
  const { tool } = probe.tool.tool;
  const session = subject.open();
  const outcome = session.call(probe.name, structuredClone(probe.args));
  const diff = session.diff();
  const changes = diff[subject.service.id] ?? [];
  const elsewhere = Object.keys(diff).filter((id) => id !== subject.service.id);
  const writes = merged(tool.writes);
  if (!outcome.ok)
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} fails the second time on the same state`, 'steps', 'Make it depend on the state alone.');
  else if (changes.length === 0)
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} declares a write and changes nothing`, 'steps', 'Write what the tool says it does.');
  if (elsewhere.length > 0)
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} changes ${elsewhere[0]}`, 'steps', 'Keep to the own service.');
  for (const { table, change, cols } of changes) {
    if (!allowed(writes, table, change, cols))
      notes
        .of(probe.tool.tool.name)
        .against(
          `${probe.name} makes an undeclared ${change} of ${table} (${cols.slice(0, 4).join(', ')})`,
          'contract',
          'Declare it, or do not do it.',
        );
  }
  if (changes.length !== outcome.entry.touched.length)
    notes
      .of(probe.tool.tool.name)
      .against(
        `${probe.name} touched ${outcome.entry.touched.length} rows, the states differ in ${changes.length}`,
        'steps',
        'Report the footprint that really happened.',
      );
  const own = changes.find(({ table, change }) => table === tool.table && change !== 'delete');
  if (own?.after && shows(subject, session, own.table, own.key, own.after) === false)
    notes
      .of(probe.tool.tool.name)
      .against(`a later read does not show what ${probe.name} wrote`, 'steps', 'Write to the row that reads return.');
  session.drop();
};

export const effects: ServiceValidator = {
  id: 'effects',
  number: 6,
  title: 'Tools do what they say',
  run: (subject) => {
    const notes = takeNotes();
    let reads = 0;
    let writes = 0;
    for (const probe of subject.probes) {
      if (probe.args === undefined) continue;
      if (probe.tool.tool.tool.writes.length > 0) {
        writes++;
        checkWrite(subject, probe, notes);
      } else reads += compareReads(subject, probe, notes);
    }
    notes.saw(
      `${reads} reads returned what an independent query returns; ${writes} writes changed what they declare, and reads show it`,
    );
    return notes.finding('effects');
  },
};
