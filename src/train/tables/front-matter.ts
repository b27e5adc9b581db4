/** What Hugging Face reads at the top of a dataset's card. */
import { stringify } from 'yaml';
import { type FileFormat, fileNameOf, SPLITS, type Written } from './files.js';

const SIZES: [number, string][] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
  [10_000_000, '1M<n<10M'],
];

export interface Front {
  title: string;
  /** SPDX id of the licence its owner gives the rows; `other` when none was chosen. */
  licence: string;
  tags: readonly string[];
  format: FileFormat;
  written: Omit<Written, 'files'>;
}

export const frontMatter = ({ title, licence, tags, format, written: { rows, bytes } }: Front): string => {
  const splits = SPLITS.filter((split) => rows[split] > 0);
  const all = rows.train + rows.validation;
  const size = bytes.train + bytes.validation;
  return `---\n${stringify({
    pretty_name: title,
    license: licence,
    language: ['en'],
    task_categories: ['text-generation'],
    tags: [...tags, 'synthetic', 'treadle'],
    size_categories: [SIZES.find(([limit]) => all < limit)?.[1] ?? 'n>10M'],
    configs: [
      { config_name: 'default', data_files: splits.map((split) => ({ split, path: fileNameOf(split, format) })) },
    ],
    dataset_info: {
      config_name: 'default',
      splits: splits.map((name) => ({ name, num_bytes: bytes[name], num_examples: rows[name] })),
      download_size: size,
      dataset_size: size,
    },
  })}---\n`;
};

/** Counts as a Markdown table, the most first. */
export const countTable = (head: string, counts: ReadonlyMap<string, number>, most = 40): string => {
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const rest = sorted.slice(most).reduce((sum, [, n]) => sum + n, 0);
  const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  return [
    `| ${head} | rows |`,
    '|---|---:|',
    ...sorted.slice(0, most).map(([name, n]) => `| ${cell(name)} | ${n} |`),
    ...(rest > 0 ? [`| ${sorted.length - most} more | ${rest} |`] : []),
  ].join('\n');
};

export const licenceWords = (licence: string): string =>
  licence === 'other'
    ? 'No licence was chosen for these rows.'
    : `The rows are under ${licence}, as their owner chose.`;
