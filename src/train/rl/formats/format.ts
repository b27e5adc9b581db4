/** What a trainer's row is: its columns, how a task becomes one, and how the trainer is started with it. */

import type { Side } from '../../tables/files.js';
import type { Columns, Row } from '../../tables/shape.js';
import type { RlItem } from '../item.js';

export interface RowPlace {
  split: Side;
  /** From 0 in its split. */
  index: number;
  server: string;
  /** NeMo Gym's agent server. */
  agent: string;
}

export interface StartFacts {
  server: string;
  agent: string;
  /** Paths of the data files, by split that has rows. */
  train: string;
  validation: string;
  simulated: boolean;
}

export interface RlFormat {
  id: string;
  /** For the card: who reads the rows. */
  describes: string;
  /** The door of `treadle serve` that the trainer speaks to, with its usual address. */
  door: { flag: string; server: string };
  columns: Columns;
  row(item: RlItem, place: RowPlace): Row;
  /** For the card, in Markdown: from rows to a training run. */
  start(facts: StartFacts): string;
  /** Files that go beside the rows, by path. */
  beside: Readonly<Record<string, string>>;
}

/** Tools in the form of the OpenAI chat API, as chat templates take them. */
export const chatTools = (item: RlItem): Row[] =>
  item.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema as Row },
  }));

export const CHAT: Columns[string] = { list: { fields: { role: 'text', content: 'text' } } };

/** What every trainer's row says of its task. */
export const ABOUT: Columns = {
  task: 'text',
  task_hash: 'text',
  world: 'text',
  world_hash: 'text',
  kind: 'text',
  profile: 'text',
  lineage: 'text',
  user: 'text',
  detail: 'text',
  scenario: 'text',
  scenario_hash: 'text',
  sources: 'text',
};

export const aboutOf = (item: RlItem): Row => ({
  task: item.ref,
  task_hash: item.hash,
  world: item.world,
  world_hash: item.worldHash,
  kind: item.kind,
  profile: item.profile,
  lineage: item.lineage,
  user: item.view.user,
  detail: item.view.detail,
  // Rows of tasks that stand still have no such field.
  ...(item.scenario
    ? { scenario: item.scenario.ref, scenario_hash: item.scenario.hash, sources: item.scenario.sources }
    : {}),
});
