/** The card of world-model rows. */
import type { FileFormat, Side, Written } from '../tables/files.js';
import { countTable, frontMatter, licenceWords } from '../tables/front-matter.js';
import { type LeftOut, type SplitBy, WHY_LEFT_OUT } from './select.js';

export interface WorldCardFacts {
  file: FileFormat;
  split: { by: SplitBy; validation: number; seed: string };
  licence: string;
  version: string;
  asked: readonly string[];
  groups: Record<Side, readonly string[]>;
  service: ReadonlyMap<string, number>;
  world: ReadonlyMap<string, number>;
  source: ReadonlyMap<string, number>;
  errors: number;
  leftOut: ReadonlyMap<LeftOut, number>;
  answersDiffer: number;
}

const BY: Record<SplitBy, string> = {
  lineage: 'A group is one task template in one world; it is never on both sides.',
  world: 'A group is a world: validation is of worlds that training never saw.',
  service:
    'A group is a service: validation calls services that training never saw, neither as the call nor in its history.',
};

export const worldCard = (facts: WorldCardFacts, written: Omit<Written, 'files'>): string => {
  const { rows } = written;
  const { split, groups } = facts;
  const title = 'Treadle world-model rows';
  const left = [...facts.leftOut].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const named = split.by === 'lineage' ? '' : ` Held out: ${groups.validation.join(', ') || 'none'}.`;
  const sections = [
    `# ${title}`,
    `${rows.train + rows.validation} pairs of (history, action) and observation, for models that predict what software answers. Each observation is what an agent was shown by a deterministic tool over a real database. Made by Treadle ${facts.version}.`,
    '## Format',
    '`messages`: the system message tells who calls and what the called tools are; each user message is a call with its time; each assistant message is the answer to the letter. The last assistant message is the target. `ok`, `error` and `fault` tell errors (`agent`: the call was wrong; `world`: the tool failed; `injected`: made on purpose). `pair` is the address of state and action. `history_left_out` counts earlier calls that the row does not tell, `has_state` that the last message holds rows of the database.',
    ...(facts.asked.length > 0 ? [facts.asked.map((line) => `- ${line}`).join('\n')] : []),
    `${facts.errors} of the rows are errors.${facts.answersDiffer > 0 ? ` ${facts.answersDiffer} pairs occur with another answer than before (it hangs on the time); they are kept.` : ''}`,
    '## Splits',
    `${rows.train} rows of ${groups.train.length} groups train, ${rows.validation} rows of ${groups.validation.length} groups validate (seed \`${split.seed}\`). ${BY[split.by]}${named}`,
    '## Where they come from',
    countTable('producer', facts.source),
    countTable('service', facts.service),
    countTable('world', facts.world),
    ...(left.length > 0 ? ['## Left out', left.map(([why, n]) => `- ${n} ${WHY_LEFT_OUT[why]}`).join('\n')] : []),
    '## Licence',
    licenceWords(facts.licence),
  ];
  const tags = ['world-model', 'tool-use', 'agents'];
  return `${frontMatter({ title, licence: facts.licence, tags, format: facts.file, written })}\n${sections.join('\n\n')}\n`;
};
