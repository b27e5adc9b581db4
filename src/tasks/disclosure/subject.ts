/** The thing that a request is about, said with fewer of its descriptors. */
import type { Binding } from '../../artifacts/task.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { type Descriptor, sayable } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { sayLabel } from '../ground/say.js';
import { nounOf, sayMany } from '../words/names.js';
import { sayRow } from '../words/rows.js';

export interface Subject {
  service: LoadedService;
  table: string;
  row: Row;
  descriptors: Descriptor[];
  /** As requests say it; the first that a text holds is meant. */
  phrases: string[];
}

/** The row of a binding with its descriptors as the wording wants them; undefined where the data no longer shows it. */
export const subjectOf = (ground: Ground, binding: Binding): Subject | undefined => {
  const { table } = binding;
  const service = ground.world.services.get(binding.service);
  const spec = service?.spec.tables[table];
  const row =
    service &&
    ground
      .rows(service)(table)
      .find((one) => one[service.keys[table] ?? ''] === binding.key);
  if (!service || !spec || !row) return undefined;
  const all = sayable(ground, service, table, row);
  const descriptors = binding.descriptors.flatMap(({ col }) => all.find((one) => one.col === col) ?? []);
  if (descriptors.length !== binding.descriptors.length) return undefined;
  const label = sayLabel(spec, row);
  const phrases = [
    sayRow(service, table, row, descriptors),
    ...(label && descriptors.length === 1 ? [`${nounOf(spec)} ${label}`, label] : []),
  ];
  return { service, table, row, descriptors, phrases };
};

/** `one of our invoices`, `one of the invoices for customer Brinkhof Interiors`; by its name it is still itself. */
export const sayFewer = (subject: Subject, kept: readonly Descriptor[]): string => {
  const { service, table, row } = subject;
  const spec = service.spec.tables[table];
  if (!spec) return '';
  if (kept.length === 0) return `one of our ${sayMany(spec)}`;
  const said = sayRow(service, table, row, kept);
  if (kept.length === subject.descriptors.length) return said;
  const at = said.indexOf(nounOf(spec));
  const isNamed = kept.some(({ col }) => col === spec.label) || at < 0 || !said.startsWith('the ');
  return isNamed ? said : `one of ${said.slice(0, at)}${sayMany(spec)}${said.slice(at + nounOf(spec).length)}`;
};
