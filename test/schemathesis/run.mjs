// Schemathesis against fakes: `node test/schemathesis/run.mjs [document...]` after `npm run build`; the tests' own help desk when no
// document is given. On demand only: it installs schemathesis into a temporary folder (TREADLE_SCHEMATHESIS_FOLDER keeps one), from the
// registry that pip knows; without one it says so and skips. What was measured stands in docs/rest-face.md.
//   --examples N       cases a phase and operation (8)
//   --phases A,B       examples, coverage, fuzzing, stateful (all)
//   --include PATTERN  only paths that fit it
//   --seconds N        most seconds of one document (600)
//   --report FOLDER    keep what schemathesis printed, and its report
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const VERSION = '4.32.5';
const SEED = '1';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '8' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
    include: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    report: { type: 'string' },
  },
});
const kept = process.env.TREADLE_SCHEMATHESIS_FOLDER || undefined;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'treadle-schemathesis-'));
mkdirSync(folder, { recursive: true });
const out = values.report ?? folder;
mkdirSync(out, { recursive: true });
const bin = (name) => join(folder, 'venv/bin', name);

const install = () => {
  if (existsSync(bin('schemathesis'))) return undefined;
  const steps = [
    ['python3', ['-m', 'venv', join(folder, 'venv')]],
    [bin('pip'), ['install', '-q', '--retries', '1', '--disable-pip-version-check', `schemathesis==${VERSION}`]],
  ];
  for (const [command, args] of steps) {
    const done = spawnSync(command, args, { encoding: 'utf8' });
    if (done.status !== 0)
      return `${command} ${args.join(' ')}: ${(done.error?.message ?? done.stderr).trim().slice(-300)}`;
  }
  return undefined;
};

const desk = async () => {
  register(pathToFileURL(join(root, 'bench/loader.mjs')).href, import.meta.url);
  const { DESK } = await import(new URL('../../src/fake/desk.fixture.ts', import.meta.url).href);
  const file = join(folder, 'desk.json');
  writeFileSync(file, JSON.stringify(DESK));
  return file;
};

/** A fake of the document in a process of its own. */
const serve = (document) =>
  new Promise((resolve, reject) => {
    const args = ['serve', document, '--rest', '--port', '0', '--needs-key', '--json'];
    const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [said, told] = ['', ''];
    child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    child.stdout.on('data', (chunk) => {
      said += chunk;
      try {
        resolve({ child, told: () => told, ...JSON.parse(said) });
      } catch {
        // Not all of it yet.
      }
    });
    child.once('exit', (code) => reject(new Error(`treadle serve ended with ${code}: ${told.slice(-500)}`)));
  });

/** Where requests go: schemathesis takes the path of the document's first server only when it is given no address. */
const basePath = (document) => {
  const { servers = [], basePath: old = '' } = JSON.parse(readFileSync(document, 'utf8'));
  const url = servers[0]?.url;
  if (url === undefined) return old.replace(/\/$/, '');
  const filled = url.replace(/\{([^}]+)\}/g, (_, name) => servers[0].variables?.[name]?.default ?? name);
  return new URL(filled, 'http://localhost').pathname.replace(/\/$/, '');
};

/** One key in all the places where the document's schemes may have it, so that all requests share one state. */
const keys = (document) => {
  const { components, securityDefinitions } = JSON.parse(readFileSync(document, 'utf8'));
  const schemes = Object.values(components?.securitySchemes ?? securityDefinitions ?? {});
  const named = schemes.filter((one) => one.type === 'apiKey' && one.in === 'header').map(({ name }) => `${name}: it`);
  const given = named.length > 0 ? named : ['Authorization: Bearer it'];
  return given.flatMap((header) => ['-H', header]);
};

const ask = (document, url, name) =>
  new Promise((resolve) => {
    const report = join(out, `${name}.report.json`);
    const args = ['run', document, '--url', url + basePath(document), '--seed', SEED, '-n', values.examples];
    args.push('--phases', values.phases, '--continue-on-failure', '--no-shrink');
    args.push('--report', 'json', '--report-json-path', report, '--request-timeout', '20', ...keys(document));
    if (values.include) args.push('--include-path-regex', values.include);
    const child = spawn(bin('schemathesis'), args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: Number(values.seconds) * 1_000,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    child.once('close', (code) => {
      writeFileSync(join(out, `${name}.txt`), said);
      resolve(
        existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { broken: `exit ${code}: ${said.slice(-800)}` },
      );
    });
  });

const summary = async (document) => {
  const name = basename(document, '.json');
  const served = await serve(document);
  let dead;
  served.child.once('exit', (code) => {
    dead = code;
  });
  try {
    const report = await ask(document, served.url, name);
    console.log(`\n${name}: ${served.operations} operations, ${served.bound} bound`);
    if (report.broken) return { document: name, broken: report.broken };
    const { failures, test_cases: cases, operations } = report;
    for (const { code, title, count, operations: where } of failures)
      console.log(`  ${code} ${title}: ${count}\n    ${where.join('\n    ')}`);
    if (dead !== undefined) console.log(`  THE FAKE DIED with ${dead}: ${served.told().slice(-500)}`);
    const byCheck = {};
    for (const { code, title, count } of failures)
      byCheck[`${code} ${title}`] = (byCheck[`${code} ${title}`] ?? 0) + count;
    return { document: name, tested: operations.tested, cases: cases.generated, byCheck, errors: report.errors, dead };
  } finally {
    served.child.kill('SIGTERM');
  }
};

const results = [];
let skipped;
try {
  skipped = install();
  if (skipped) console.log(`SKIPPED, schemathesis cannot be installed: ${skipped}`);
  else
    for (const document of positionals.length > 0 ? positionals : [await desk()])
      results.push(await summary(document).catch((error) => ({ document, broken: String(error) })));
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ schemathesis: VERSION, seed: SEED, ...(skipped ? { skipped } : {}), results }));
process.exitCode = results.some(({ broken, dead }) => broken || dead !== undefined) ? 1 : 0;
