/** The card of preference pairs. */
import type { FileFormat, Side, Written } from '../tables/files.js';
import { countTable, frontMatter, licenceWords } from '../tables/front-matter.js';
import type { LeftOut } from './export.js';
import type { PairFormat } from './formats.js';
import { WHY_NO_PAIR } from './pair.js';

export const WHY_LEFT_OUT: Record<LeftOut, string> = {
  ...WHY_NO_PAIR,
  duplicate: 'say the same as another pair',
  not_expressible: 'hold text that the format cannot tell from its own marks',
  other_source: 'are of other event sources than --source asks for',
};

export interface PairCardFacts {
  format: PairFormat;
  file: FileFormat;
  split: { validation: number; seed: string };
  licence: string;
  version: string;
  asked: readonly string[];
  lineages: Record<Side, number>;
  who: ReadonlyMap<string, number>;
  sources: ReadonlyMap<string, number>;
  leftOut: ReadonlyMap<LeftOut, number>;
}

export const pairCard = (facts: PairCardFacts, written: Omit<Written, 'files'>): string => {
  const { rows } = written;
  const { format, lineages, split } = facts;
  const title = 'Treadle preference pairs';
  const left = [...facts.leftOut].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = [
    `# ${title}`,
    `${rows.train + rows.validation} pairs of replies of tool-using agents, each behind one history in which something happened that changed what was to be done. One reply is of a rollout that passed its verifier, the other of one that failed it; they are the first in which the two differ. Made by Treadle ${facts.version}.`,
    '## Format',
    `\`${format.id}\`: ${format.describes} \`metadata\` names scenario, task, world and lineage, the events that had \`fired\` and their \`sources\`, and of both replies the rollout, its producer and, in \`by\`, whose behaviour it is; \`failed\` is what the rejected one failed on in the end.`,
    ...(facts.asked.length > 0 ? [facts.asked.map((line) => `- ${line}`).join('\n')] : []),
    '## Whose replies',
    '`reference` is a replay of the reference as it was solved again for the events, `stale` of the old one as if nothing had happened, `scripted` of the reference with seeded mistakes: no model wrote them. A model that acts otherwise than `stale` after an event is not shown to be wrong by these pairs.',
    countTable('preferred over', facts.who),
    '## Events before the reply',
    countTable('event sources', facts.sources),
    '## Splits',
    `${rows.train} rows of ${lineages.train} lineages train, ${rows.validation} rows of ${lineages.validation} lineages validate (seed \`${split.seed}\`). A lineage is one task template in one world; it is never on both sides.`,
    ...(left.length > 0
      ? ['## Left out', left.map(([why, n]) => `- ${n} pairs of rollouts ${WHY_LEFT_OUT[why]}`).join('\n')]
      : []),
    '## Licence',
    licenceWords(facts.licence),
  ];
  const tags = ['preference', 'tool-use', 'agents'];
  return `${frontMatter({ title, licence: facts.licence, tags, format: facts.file, written })}\n${sections.join('\n\n')}\n`;
};
