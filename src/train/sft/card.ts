/** The dataset card: README.md with the front matter that Hugging Face reads. */
import { stringify } from 'yaml';
import type { Shape } from '../formats/shape.js';
import type { Dealt } from './deal.js';
import { WHY } from './exclude.js';
import { rateWords, type Tally } from './tally.js';

/** A configuration of the dataset: `default`, or a subset of an arm. */
export interface Config {
  name: string;
  says: string;
  train: Dealt[];
  validation: Dealt;
}

export interface CardFacts {
  title: string;
  /** SPDX id of the licence its owner gives the rows; `other` when none was chosen. */
  licence: string;
  /** What is known of the licences of the models that wrote rows. */
  modelLicences: Readonly<Record<string, string>>;
  /** Lines such as "Treadle 0.1.0". */
  versions: readonly string[];
  shape: Pick<Shape, 'id' | 'describes'>;
  seed: string;
  onlyPassing: boolean;
  filters: readonly string[];
  /** What the shape has to say now that all is written. */
  notes: readonly string[];
  lineages: { train: number; validation: number };
  configs: readonly Config[];
  tally: Tally;
}

const SIZES: [number, string][] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
  [10_000_000, '1M<n<10M'],
];

const sum = (of: readonly Dealt[], key: 'rows' | 'bytes' | 'rollouts'): number =>
  of.reduce((total, one) => total + one[key], 0);

const splitsOf = ({ train, validation }: Config): [name: string, dealt: Dealt[]][] =>
  [['train', train] as [string, Dealt[]], ['validation', [validation]] as [string, Dealt[]]].filter(
    ([, dealt]) => sum(dealt, 'rows') > 0,
  );

const pathsOf = (dealt: readonly Dealt[]): string | string[] => {
  const files = dealt.flatMap((one) => one.files);
  return files.length === 1 ? (files[0] as string) : files;
};

const infoOf = (config: Config): object => {
  const splits = splitsOf(config);
  const bytes = splits.reduce((total, [, dealt]) => total + sum(dealt, 'bytes'), 0);
  return {
    config_name: config.name,
    splits: splits.map(([name, dealt]) => ({ name, num_bytes: sum(dealt, 'bytes'), num_examples: sum(dealt, 'rows') })),
    dataset_size: bytes,
  };
};

const frontMatter = ({ title, licence, configs }: CardFacts): string => {
  const [all] = configs;
  const rows = all ? splitsOf(all).reduce((total, [, dealt]) => total + sum(dealt, 'rows'), 0) : 0;
  const info = configs.map(infoOf);
  return stringify({
    pretty_name: title,
    license: licence,
    language: ['en'],
    task_categories: ['text-generation'],
    tags: ['tool-use', 'agents', 'synthetic', 'treadle'],
    size_categories: [SIZES.find(([limit]) => rows < limit)?.[1] ?? 'n>10M'],
    configs: configs.map((config) => ({
      config_name: config.name,
      data_files: splitsOf(config).map(([split, dealt]) => ({ split, path: pathsOf(dealt) })),
      ...(config.name === 'default' ? { default: true } : {}),
    })),
    dataset_info: info.length === 1 ? info[0] : info,
  });
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

const grid = (heads: readonly string[], lines: readonly (readonly (string | number)[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map((_, n) => (n === 0 ? '---' : '---:')).join('|')}|`,
    ...lines.map((line) => `| ${line.map((one) => cell(String(one))).join(' | ')} |`),
  ].join('\n');

const table = (head: string, counts: ReadonlyMap<string, number>, most = 40): string => {
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const rest = sorted.slice(most).reduce((total, [, n]) => total + n, 0);
  return grid(
    [head, 'rollouts'],
    [...sorted.slice(0, most), ...(rest > 0 ? [[`${sorted.length - most} more`, rest] as [string, number]] : [])],
  );
};

const subsets = ({ configs }: CardFacts): string[] => {
  const arms = configs.slice(1);
  if (arms.length === 0) return [];
  return [
    '## Subsets',
    `Each is a configuration of its own, for ablations: \`load_dataset(..., "${arms[0]?.name}")\`. Subsets of one size have the same number of rollouts in every arm; a smaller one is contained in the larger ones of its arm (they share its files). All are drawn from the training side with the seed above, and all validate on the same rows.`,
    grid(
      ['configuration', 'holds', 'rollouts', 'rows'],
      arms.map(({ name, says, train }) => [`\`${name}\``, says, sum(train, 'rollouts'), sum(train, 'rows')]),
    ),
  ];
};

const judgedTable = ({ tally }: CardFacts): string =>
  grid(
    ['producer', 'rollouts here', 'passed of judged (95 % Wilson interval)', 'cut off', 'faults of others'],
    [...tally.judged]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, judged]) => [name, tally.producers.get(name) ?? 0, rateWords(judged), judged.cut, judged.fault]),
  );

const models = ({ tally, modelLicences }: CardFacts): string[] => {
  if (tally.models.size === 0) return [];
  const lines = [...tally.models]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => [name, n, modelLicences[name] ?? 'not stated: look up its terms before you train on this']);
  return ['## Models', grid(['model', 'rollouts', 'licence or terms'], lines)];
};

const some = (head: string, title: string, counts: ReadonlyMap<string, number>): string[] =>
  counts.size > 0 && !(counts.size === 1 && ['none', 'whole'].includes([...counts.keys()][0] as string))
    ? [`## ${title}`, table(head, counts)]
    : [];

const SHOWN_BY: Record<string, string> = {
  resolved_reference: 'the reference, solved again for the events: a replay, no teacher model wrote it',
  stale_plan: 'the old reference, as if nothing had happened: a negative',
  scripted: 'a replay with seeded mistakes: no model wrote it',
  model: 'a model',
  harness: 'a model in a harness',
  none: 'nobody: no call is made',
};

const scenarios = ({ tally }: CardFacts): string[] =>
  tally.scenarios.size === 0
    ? []
    : [
        '## Scenarios',
        'Events came in between (what is asked, known or possible changed while the agent worked): `metadata.scenario` names the scenario, the sources of its events, the events that fired and, in `by`, whose behaviour the row shows; `metadata.events` the sources of those that fired.',
        grid(
          ['`metadata.scenario.by`', 'rollouts', 'who that is'],
          [...tally.scenarios]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([by, n]) => [`\`${by}\``, n, SHOWN_BY[by] ?? '']),
        ),
      ];

/** The whole README.md. */
export const datasetCard = (facts: CardFacts): string => {
  const { tally, onlyPassing, configs, lineages, seed } = facts;
  const [all] = configs as [Config];
  const [train, validation] = [sum(all.train, 'rows'), all.validation.rows];
  const rollouts = sum(all.train, 'rollouts') + all.validation.rollouts;
  const left = [...tally.excluded].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const verified = onlyPassing
    ? 'only those whose verifier passed are here'
    : `${tally.negatives} that failed, or that sampling dropped, are here too and marked: \`label\` is false, \`metadata.negative_from\` is the message from which on they went wrong`;
  const sections = [
    `# ${facts.title}`,
    `${rollouts} conversations of tool-using agents in synthetic company environments (${train + validation} rows), made and ${onlyPassing ? 'verified' : 'judged'} by Treadle. Each was executed against a real environment state; ${verified}.`,
    '## Format',
    `\`${facts.shape.id}\`: ${facts.shape.describes} \`metadata\` names task, world, lineage, producer (policy, model, harness, version, seed, sampling), origin, verdict and trace of each row.`,
    ...facts.notes,
    '## Splits',
    `${train} rows of ${lineages.train} lineages train, ${validation} rows of ${lineages.validation} lineages validate (seed \`${seed}\`). A lineage is one task template in one world; it is never on both sides.`,
    ...subsets(facts),
    '## Producers',
    'Rows by `reference` replay the task’s own proven solution and rows by `scripted` replay it with seeded mistakes, rows by `stale` replay it in a scenario as if nothing had happened: no model wrote them. Rates are over all rollouts that were read, also those that became no row.',
    judgedTable(facts),
    ...models(facts),
    '## Views',
    table('view', tally.views),
    ...some('how it came about', 'Sampling', tally.origins),
    '## Tasks',
    table('task', tally.profiles),
    ...scenarios(facts),
    ...some('event sources', 'Events', tally.events),
    '## Worlds',
    table('world', tally.worlds),
    '## Templates',
    table('template', tally.templates),
    '## Filters',
    [...facts.filters].map((line) => `- ${line}`).join('\n'),
    ...(left.length > 0 ? ['## Left out', left.map(([why, n]) => `- ${n} ${WHY[why]}`).join('\n')] : []),
    '## Versions',
    facts.versions.map((line) => `- ${line}`).join('\n'),
    '## Licence',
    facts.licence === 'other'
      ? 'No licence was chosen for these rows.'
      : `The rows are under ${facts.licence}, as their owner chose.`,
  ];
  return `---\n${frontMatter(facts)}---\n\n${sections.join('\n\n')}\n`;
};
