/**
 * 6. effects: a read changes nothing and returns what an independent query of the state returns; a write changes something,
 * only where it declares to, and a later read shows it.
 */
import type { Write } from '../../artifacts/tool.js';
import type { Session } from '../../serve/sessions/session.js';
import type { RowChange } from '../../world/state/types.js';
import { changesBetween, filesChanged } from '../changes.js';
import type { Probe } from '../probes.js';
import { showsChange } from '../read-back.js';
import { unreadable } from '../shown.js';
import type { Notes, ServiceSubject, ServiceValidator } from '../validator.js';
import { takeNotes } from '../validator.js';
import { compareReads } from './reads.js';

const isDeclared = (writes: readonly Write[], { table, change, cols }: RowChange): boolean => {
  const own = writes.filter((write) => write.table === table);
  if (change === 'insert') return own.some(({ insert }) => insert === true);
  if (change === 'delete') return own.some(({ delete: gone }) => gone === true);
  return cols.every((col) => own.some((write) => write.cols?.includes(col)));
};

const line = ({ table, key, change, cols }: Pick<RowChange, 'table' | 'key' | 'change' | 'cols'>): string =>
  `${change} ${table} ${key} ${change === 'update' ? [...cols].sort().join(',') : ''}`;

/** The tool's own answer must show the row as it now is, where it returns one. */
const answerFault = (
  subject: ServiceSubject,
  probe: Probe,
  session: Session,
  changes: readonly RowChange[],
): boolean => {
  const { tool } = probe.tool.tool;
  const result = session.ledger.at(-1)?.result;
  const returnsRow =
    tool.returns?.row !== undefined || (tool.returns === undefined && (tool.op === 'create' || tool.op === 'update'));
  if (!returnsRow || result === undefined) return false;
  const table = tool.returns?.table ?? tool.table;
  const rows = changes.filter((change) => change.table === table && change.after);
  if (rows.length === 0) return false;
  const isRow = subject.isRow(table, tool.returns?.cols);
  return !rows.some(({ after }) => after && isRow(result, after));
};

const checkWrite = (subject: ServiceSubject, probe: Probe, notes: Notes): void => {
  const { tool } = probe.tool.tool;
  const own = notes.of(probe.tool.tool.name);
  const session = subject.ready(probe);
  const before = session.fork(`${session.id}-before`);
  const outcome = session.call(probe.name, probe.args);
  const diff = changesBetween(before, session);
  const files = filesChanged(before, session);
  before.drop();
  const changes = diff.get(subject.service.id) ?? [];
  const elsewhere = [...diff.keys()].find((id) => id !== subject.service.id);
  if (!outcome.ok)
    own.against(`${probe.name} fails the second time on the same state`, 'steps', 'Make it depend on the state alone.');
  else if (changes.length === 0 && !files)
    own.against(`${probe.name} declares a write and changes nothing`, 'steps', 'Write what the tool says it does.');
  if (elsewhere) own.against(`${probe.name} changes ${elsewhere}`, 'steps', 'Keep to the own service.');
  for (const change of changes) {
    if (!isDeclared(tool.writes, change))
      own.against(
        `${probe.name} makes an undeclared ${change.change} of ${change.table} (${change.cols.slice(0, 4).join(', ')})`,
        'contract',
        'Declare it, or do not do it.',
      );
  }
  const noted = outcome.entry.touched.map(line).sort().join('\n');
  if (noted !== changes.map(line).sort().join('\n'))
    own.against(
      `${probe.name} reports ${outcome.entry.touched.length} touched rows, the states differ in ${changes.length}`,
      'steps',
      'Report the footprint that really happened.',
    );
  if (outcome.ok && answerFault(subject, probe, session, changes))
    own.against(`${probe.name} does not return the row that it wrote`, 'steps', 'Return the row as it is stored.');
  const hidden = changes.find((change) => showsChange(subject, session, change) === false);
  if (hidden)
    own.against(
      `a later read of ${hidden.table} does not show what ${probe.name} wrote`,
      'steps',
      'Write to the row that reads return.',
    );
  session.drop();
};

/** Every stored value can be handed in again as it is shown. */
const checkCodecs = (subject: ServiceSubject, notes: Notes): void => {
  for (const table of Object.keys(subject.spec.tables)) {
    for (const col of unreadable(subject.spec, table, subject.rows(table)))
      notes.against(
        `${table}.${col} is shown in a form that does not lead back to what is stored`,
        'contract',
        'Give the surface a form that keeps the whole value.',
      );
  }
};

export const effects: ServiceValidator = {
  id: 'effects',
  number: 6,
  title: 'Tools do what they say',
  run: (subject) => {
    const notes = takeNotes();
    let reads = 0;
    let writes = 0;
    checkCodecs(subject, notes);
    for (const probe of subject.probes) {
      if (probe.args === undefined) continue;
      if (probe.tool.tool.readOnly) reads += compareReads(subject, probe, notes);
      else {
        writes++;
        checkWrite(subject, probe, notes);
      }
    }
    notes.saw(
      `${reads} answers of reads are what an independent query returns; ${writes} writes changed what they declare, and reads show it`,
    );
    return notes.finding('effects');
  },
};
