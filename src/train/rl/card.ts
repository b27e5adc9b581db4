/** The card of task rows: what they are, how server and trainer are started, and what stays with the server. */
import { type FileFormat, fileNameOf, type SPLITS, type Written } from '../tables/files.js';
import { countTable, frontMatter, licenceWords } from '../tables/front-matter.js';
import type { RlFormat } from './formats/format.js';
import type { RlView } from './item.js';
import { type LeftOut, WHY_LEFT_OUT } from './select.js';

export interface RlCardFacts {
  format: RlFormat;
  file: FileFormat;
  licence: string;
  seed: string;
  view: RlView;
  isPinned: boolean;
  server: string;
  agent: string;
  lineages: Record<(typeof SPLITS)[number], number>;
  kinds: ReadonlyMap<string, number>;
  worlds: ReadonlyMap<string, number>;
  /** Rows of scenarios, by the sources of their events. */
  scenarios: ReadonlyMap<string, number>;
  leftOut: ReadonlyMap<LeftOut, number>;
  /** How tasks were chosen, in words. */
  chosen: readonly string[];
  version: string;
}

export const rlCard = (facts: RlCardFacts, written: Omit<Written, 'files'>): string => {
  const { format, file, server, agent, view, lineages } = facts;
  const { rows } = written;
  const title = `Treadle tasks for ${format.id}`;
  const port = new URL(server).port;
  const left = [...facts.leftOut].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = [
    `# ${title}`,
    `${rows.train + rows.validation} tasks in synthetic company environments, one a row, for reinforcement learning against a running Treadle server. Made by Treadle ${facts.version}.`,
    '## Format',
    `\`${format.id}\`: ${format.describes}`,
    `Tasks are told ${view.user === 'simulated' ? 'by a simulated user, stage by stage' : 'at once'}, in ${view.detail} detail. They are named by ${facts.isPinned ? 'the content address of the task: a server whose task is another one refuses' : 'world and task; `task_hash` is the content address'}.`,
    '## Start the server',
    `\`\`\`sh\ntreadle serve CORPUS ${format.door.flag} ${port === '' ? 'PORT' : port} --sessions 0\n\`\`\``,
    `Rows point at \`${server}\`. Where the server is not on this machine's loopback it wants \`--gym-token\`; clients take it from \`TREADLE_GYM_TOKEN\`. It is in no row.`,
    '## Start the trainer',
    format.start({
      server,
      agent,
      train: fileNameOf('train', file),
      validation: fileNameOf('validation', file),
      simulated: view.user === 'simulated',
    }),
    '## What stays with the server',
    'The verifier: a task’s reference solution, its checks and expected answers are in no row. Rewards come from the state that the agent left behind, and from its answer.',
    ...(facts.scenarios.size > 0
      ? [
          '## Scenarios',
          'Rows with `scenario` open a session in which events happen while the agent is at work; the verdict is by the checks as the events that fired revise them. `scenario`, `scenario_hash` and `sources` are for the trainer, never for the policy. No trainer’s tool loop puts a user message between a tool’s result and the next reply: what the user or the environment says comes at the end of the result, behind `[Message from the user]` or `[Notification]`. Rows of rollouts told in that way are made with `treadle export --notices merge`.',
          countTable('event sources', facts.scenarios),
        ]
      : []),
    '## Splits',
    `${rows.train} rows of ${lineages.train} lineages train, ${rows.validation} rows of ${lineages.validation} lineages validate (seed \`${facts.seed}\`). A lineage is one task template in one world; it is never on both sides.`,
    '## Chosen tasks',
    facts.chosen.length > 0 ? facts.chosen.map((line) => `- ${line}`).join('\n') : 'All tasks of the corpus.',
    countTable('kind', facts.kinds),
    countTable('world', facts.worlds),
    ...(left.length > 0 ? ['## Left out', left.map(([why, n]) => `- ${n} ${WHY_LEFT_OUT[why]}`).join('\n')] : []),
    '## Licence',
    licenceWords(facts.licence),
  ];
  const tags = ['reinforcement-learning', 'tool-use', 'agents'];
  return `${frontMatter({ title, licence: facts.licence, tags, format: file, written })}\n${sections.join('\n\n')}\n`;
};
