/** The dataset card: README.md with the front matter that Hugging Face reads. */
import { stringify } from 'yaml';
import type { RowFormat } from '../formats/format.js';
import type { Exclusion } from './exclude.js';
import type { Split } from './split.js';

export interface SplitCount {
  rows: number;
  bytes: number;
  lineages: number;
}

export interface CardFacts {
  title: string;
  /** SPDX id of the licence its owner gives the rows; `other` when none was chosen. */
  licence: string;
  format: RowFormat;
  seed: string;
  onlyPassing: boolean;
  splits: Record<Split, SplitCount>;
  /** Rows by producer (`reference`, `model m1` ...), by world, by template. */
  producers: ReadonlyMap<string, number>;
  worlds: ReadonlyMap<string, number>;
  templates: ReadonlyMap<string, number>;
  excluded: ReadonlyMap<Exclusion, number>;
}

const SIZES: [number, string][] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
  [10_000_000, '1M<n<10M'],
];

const splitsWithRows = (facts: CardFacts): [Split, SplitCount][] =>
  (['train', 'validation'] as const).flatMap((split) =>
    facts.splits[split].rows > 0 ? [[split, facts.splits[split]] as [Split, SplitCount]] : [],
  );

const frontMatter = (facts: CardFacts): string => {
  const splits = splitsWithRows(facts);
  const rows = splits.reduce((sum, [, { rows: n }]) => sum + n, 0);
  const bytes = splits.reduce((sum, [, { bytes: n }]) => sum + n, 0);
  return stringify({
    pretty_name: facts.title,
    license: facts.licence,
    language: ['en'],
    task_categories: ['text-generation'],
    tags: ['tool-use', 'agents', 'synthetic', 'treadle'],
    size_categories: [SIZES.find(([limit]) => rows < limit)?.[1] ?? 'n>10M'],
    configs: [
      { config_name: 'default', data_files: splits.map(([split]) => ({ split, path: `data/${split}.jsonl` })) },
    ],
    dataset_info: {
      config_name: 'default',
      splits: splits.map(([name, count]) => ({ name, num_bytes: count.bytes, num_examples: count.rows })),
      download_size: bytes,
      dataset_size: bytes,
    },
  });
};

const table = (head: string, counts: ReadonlyMap<string, number>, most = 40): string => {
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const rest = sorted.slice(most).reduce((sum, [, n]) => sum + n, 0);
  const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  const lines = sorted.slice(0, most).map(([name, n]) => `| ${cell(name)} | ${n} |`);
  return [
    `| ${head} | rows |`,
    '|---|---:|',
    ...lines,
    ...(rest > 0 ? [`| ${sorted.length - most} more | ${rest} |`] : []),
  ].join('\n');
};

const WHY: Record<Exclusion, string> = {
  failed: 'did not pass their verifier',
  unfinished: 'were cut off or broke',
  verifier_fault: 'could not be judged (a check threw)',
  malformed_call: 'pass, but hold a malformed tool call',
  not_told: 'replay a solution with values that nobody in the conversation had said',
  other_task: 'do not belong to the task or verdict they came with',
  no_conversation: 'hold no assistant message',
  duplicate: 'say the same as another row of their task',
};

/** The whole README.md. */
export const datasetCard = (facts: CardFacts): string => {
  const { train, validation } = facts.splits;
  const left = [...facts.excluded].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = [
    `# ${facts.title}`,
    `${train.rows + validation.rows} conversations of tool-using agents in synthetic company environments, made and ${facts.onlyPassing ? 'verified' : 'judged'} by Treadle. Each was executed against a real environment state; ${facts.onlyPassing ? 'only those whose verifier passed are here' : 'those that failed are here too (see `metadata.verdict`)'}.`,
    '## Format',
    `\`${facts.format.id}\`: ${facts.format.describes} \`metadata\` names task, world, lineage, producer, verdict and trace of each row.`,
    '## Splits',
    `${train.rows} rows of ${train.lineages} lineages train, ${validation.rows} rows of ${validation.lineages} lineages validate (seed \`${facts.seed}\`). A lineage is one task template in one world; it is never on both sides.`,
    '## Producers',
    'Rows by `reference` replay the task’s own proven solution and rows by `scripted` replay it with seeded mistakes: no model wrote them.',
    table('producer', facts.producers),
    '## Worlds',
    table('world', facts.worlds),
    '## Templates',
    table('template', facts.templates),
    ...(left.length > 0 ? ['## Left out', left.map(([why, n]) => `- ${n} ${WHY[why]}`).join('\n')] : []),
    '## Licence',
    facts.licence === 'other'
      ? 'No licence was chosen for these rows.'
      : `The rows are under ${facts.licence}, as their owner chose.`,
  ];
  return `---\n${frontMatter(facts)}---\n\n${sections.join('\n\n')}\n`;
};
