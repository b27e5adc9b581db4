/** What is there already, shown to a model in the notation it writes itself: names only, never prose. */
import type { DraftTable } from '../../catalogue/archetype.js';
import type { ServiceWork } from './service.js';

const columns = (table: DraftTable): string =>
  Object.entries(table.cols)
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ');

/** `loan (status: lent|returned) member_id: fk! member; due_on: date!` */
export const shownTable = (name: string, table: DraftTable): string =>
  `- ${name}${table.status ? ` [status: ${table.status}]` : ''} ${columns(table)}`;

export const shownTables = (work: ServiceWork): string =>
  Object.entries(work.tables)
    .map(([name, table]) => shownTable(name, table))
    .join('\n');

/** A service with the names of its actions and the generic tools. */
export const shownService = (work: ServiceWork): string =>
  [
    `service ${work.id}`,
    ...Object.entries(work.tables).flatMap(([name, table]) => [
      shownTable(name, table),
      `  tools: ${[...(table.tools ?? ['list', 'get', 'create', 'update']).filter((tool) => tool === 'create' || tool === 'update'), ...Object.keys(table.verbs ?? {})].map((verb) => `${work.id}.${name}.${verb}`).join(', ')}`,
    ]),
  ].join('\n');
