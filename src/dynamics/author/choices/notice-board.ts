/** Where a world keeps what is announced to those who serve it: a table for notices that nothing else refers to. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Literal } from '../../../artifacts/table.js';
import type { Stage } from '../trial.js';

export interface Notice {
  title: string;
  text: string;
  /** By whoever runs the place; else hearsay, which changes nothing. */
  authoritative: boolean;
}

const BOARD = /^(notice|announcement|bulletin)$/;
/** Columns that hold something else than the words: a notice's own sort, from whom it is. */
const ORIGIN = ['official', 'unverified'] as const;

/** The event's effect, or nothing where the task's services have no board. */
export const published = (
  { world, task }: Stage,
  id: string,
  { title, text, authoritative }: Notice,
): ScenarioEvent['effect'] | undefined => {
  for (const service of task.services) {
    const tables = world.services.get(service)?.spec.tables ?? {};
    const [name, table] = Object.entries(tables).find(([table]) => BOARD.test(table)) ?? [];
    if (name === undefined || !table?.cols.title || !table.cols.text) continue;
    const set: Record<string, Literal> = { [table.key.col]: id, title, text };
    if (table.cols.origin) set.origin = ORIGIN[authoritative ? 0 : 1];
    return { publish: { service, table: name, set, authoritative } };
  }
  return undefined;
};

export const noticeWords = ({ title, text, authoritative }: Notice): string =>
  authoritative ? `Notice to staff: ${title}. ${text}` : `${title}: ${text}`;
