/**
 * OpenClaw, Hermes and Claude Code, run for real: installs those that are not here yet (into the cache folder of
 * `treadle harness`, outside this repository), builds a world unless one is given, and runs test/harness/real.test.ts.
 *
 *   node test/harness/run.mjs [openclaw] [hermes] [claude-code] [--corpus DIR]
 *
 * Needs a build (dist/). What cannot be installed is skipped with a loud line. Exit status 1 when one that is installed fails.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const args = process.argv.slice(2);
const at = args.indexOf('--corpus');
const [, corpus] = at < 0 ? [] : args.splice(at, 2);

const treadle = (...words) =>
  spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const listed = () => {
  const { stdout, status } = treadle('harness', '--json');
  if (status !== 0) throw new Error('treadle harness does not run: npm run build first');
  return JSON.parse(stdout).harnesses;
};

const known = listed();
const wanted = args.length > 0 ? args : known.map(({ id }) => id);
const ready = [];
for (const id of wanted) {
  const here = known.find((line) => line.id === id);
  if (here?.version === undefined) {
    console.log(`-- installing ${id}`);
    const { status } = treadle('harness', 'install', id);
    if (status !== 0) {
      console.log(`!! SKIPPED: ${id} cannot be installed here, and was NOT run.`);
      continue;
    }
  }
  ready.push(id);
}
if (ready.length === 0) {
  console.log('!! SKIPPED: no harness was run.');
  process.exit(0);
}
const env = {
  ...process.env,
  TREADLE_REAL_HARNESSES: ready.join(','),
  ...(corpus ? { TREADLE_REAL_CORPUS: corpus } : {}),
};
const { status } = spawnSync('npx', ['vitest', 'run', 'test/harness/real.test.ts'], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
