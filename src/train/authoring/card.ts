/** The dataset card of the construction samples. */
import { stringify } from 'yaml';

export interface AuthoringFacts {
  licence: string;
  format: string;
  seed: string;
  heldOut: readonly string[];
  rows: { train: number; validation: number };
  worlds: { used: number; fresh: number };
  /** Rows by kind, by what found a corruption, by archetype. */
  kinds: Readonly<Record<string, number>>;
  foundBy: Readonly<Record<string, number>>;
  archetypes: Readonly<Record<string, number>>;
  skipped: Readonly<Record<string, number>>;
  duplicates: number;
}

const table = (head: string, counts: Readonly<Record<string, number>>): string =>
  [
    `| ${head} | rows |`,
    '|---|---:|',
    ...Object.entries(counts)
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([name, n]) => `| ${name} | ${n} |`),
  ].join('\n');

export const WHY: Readonly<Record<string, string>> = {
  uncertified: 'worlds have no passing certificate',
  mixes_held_out: 'worlds hold an archetype that is held out beside others',
  no_archetypes: 'worlds have no service of the catalogue',
  not_expressible: "worlds have fewer than two services that the author's notation can tie together",
  too_few_rules: 'worlds keep fewer than two rules in the notation',
  not_certified_anew: 'worlds did not certify once they were written in the notation',
  not_determined: 'worlds differed between two fresh processes',
};

const SIZES: [number, string][] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
];

/** The whole README.md. */
export const authoringCard = (facts: AuthoringFacts): string => {
  const all = facts.rows.train + facts.rows.validation;
  const splits = (['train', 'validation'] as const).filter((split) => facts.rows[split] > 0);
  const front = stringify({
    pretty_name: 'Treadle construction traces',
    license: facts.licence,
    language: ['en'],
    task_categories: ['text-generation'],
    tags: ['environment-synthesis', 'agents', 'synthetic', 'treadle'],
    size_categories: [SIZES.find(([limit]) => all < limit)?.[1] ?? 'n>1M'],
    configs: [{ config_name: 'default', data_files: splits.map((split) => ({ split, path: `data/${split}.jsonl` })) }],
  });
  const left = Object.entries(facts.skipped).filter(([, n]) => n > 0);
  const sections = [
    '# Treadle construction traces',
    `${all} samples that teach a model to write, complete, repair and change executable worlds, cut from ${facts.worlds.used} certified worlds (format \`${facts.format}\`, seed \`${facts.seed}\`). No model wrote them.`,
    '## How each was checked',
    `The prompts are those of \`treadle author --model\`, and its own readers took every answer without an objection. Each answer, put in place, compiles to a world that passed the validators named in \`metadata.validators\`: eleven in one process, for every row. The twelfth, two fresh processes that must agree, ran for ${facts.worlds.fresh} of the ${facts.worlds.used} worlds (\`metadata.fresh_processes\`: of the world that the samples are cut from). What a repair is told is what certifying the corrupted world really said, or the reader where it does not compile, or the assembly where its data cannot be built (\`metadata.found_by\`).`,
    '## Kinds',
    table('kind', facts.kinds),
    ...(Object.keys(facts.foundBy).length > 0
      ? ['## Corruptions, by what found them', table('found by', facts.foundBy)]
      : []),
    '## Splits',
    facts.heldOut.length > 0
      ? `${facts.rows.train} rows train: none contains an archetype that is held out. ${facts.rows.validation} rows validate: all of their world's archetypes are held out. Held out: ${facts.heldOut.join(', ')}.`
      : `${facts.rows.train} rows train. No archetype was held out: \`treadle bench-author\` means nothing for a model trained on these.`,
    '## Archetypes',
    table('archetype', facts.archetypes),
    ...(left.length > 0 || facts.duplicates > 0
      ? [
          '## Left out',
          [
            ...left.map(([why, n]) => `- ${n} ${WHY[why] ?? why}`),
            ...(facts.duplicates > 0 ? [`- ${facts.duplicates} samples that say the same as another`] : []),
          ].join('\n'),
        ]
      : []),
    '## Licence',
    facts.licence === 'other'
      ? 'No licence was chosen for these rows.'
      : `The rows are under ${facts.licence}, as their owner chose.`,
  ];
  return `---\n${front}---\n\n${sections.join('\n\n')}\n`;
};
