// Runs every ```sh and ```js snippet of README.md and docs/*.md that is marked as runnable (`sh run`, `js run`), offline.
// `node docs/snippets.mjs docs/cli.md` runs one page. Two pages run at a time; what a page says is printed when it has ended.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keepWarm } from '../test/e2e/warm/setup.mjs';

const LANES = 2;
const root = fileURLToPath(new URL('..', import.meta.url));
const all = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const snippetsOf = (page) => [...readFileSync(join(root, page), 'utf8').matchAll(/^```(sh|js) run\n([\s\S]*?)^```/gm)];
const pages = (process.argv.length > 2 ? process.argv.slice(2) : all)
  .map((page) => ({ page, snippets: snippetsOf(page) }))
  .filter(({ snippets }) => snippets.length > 0)
  // The long ones first: the last to run is what the other lane waits for.
  .sort((a, b) => b.snippets.length - a.snippets.length);

// A snippet's `treadle` is this checkout's: what reads, listens or starts programs in a process of its own, the rest in one that
// is warm, since what these show is what commands make and say (how their process starts and ends is of test/e2e/output.test.ts).
const OWN = 'serve|gateway|review|test|doctor';
const bin = mkdtempSync(join(tmpdir(), 'treadle-bin-'));
const node = `exec "${process.execPath}" "${root}`;
writeFileSync(
  join(bin, 'treadle'),
  `#!/bin/sh\ncase "$1" in\n${OWN}) ${node}dist/cli/main.js" "$@" ;;\n*) ${node}test/e2e/warm/treadle.mjs" "$@" ;;\nesac\n`,
  { mode: 0o755 },
);

/** Runs a program to its end; throws what it said when it fails. */
const run = (file, args, options, say) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', say);
    child.stderr.setEncoding('utf8').on('data', say);
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with status ${code}`))));
  });

const warm = keepWarm(LANES);
let ran = 0;

/** Folders that one snippet makes, the next ones of its page may use. */
const runPage = async (page, snippets, place) => {
  const work = mkdtempSync(join(tmpdir(), 'treadle-snippets-'));
  // As if it had been installed there.
  mkdirSync(join(work, 'node_modules'));
  symlinkSync(root, join(work, 'node_modules', 'treadle'));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, TREADLE_WARM: place };
  let said = '';
  const say = (text) => {
    said += text;
  };
  try {
    for (const [n, [, kind, code]] of snippets.entries()) {
      while (!existsSync(place)) await sleep(20);
      const start = performance.now();
      say(`-- ${page}, snippet ${n + 1} of ${snippets.length} (${kind})\n`);
      if (kind === 'sh') await run('bash', ['-euo', 'pipefail', '-c', code], { cwd: work, env }, say);
      else {
        const file = join(work, `snippet-${n + 1}.mjs`);
        writeFileSync(file, code);
        await run(process.execPath, [file], { cwd: work }, say);
      }
      say(`   ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
      ran++;
    }
  } finally {
    process.stdout.write(said);
    rmSync(work, { recursive: true, force: true });
  }
};

const lane = async (place) => {
  for (let next = pages.shift(); next; next = pages.shift()) await runPage(next.page, next.snippets, place);
};
try {
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(join(warm.dir, `${n + 1}`))));
} finally {
  warm.end();
  rmSync(bin, { recursive: true, force: true });
}
if (ran === 0) throw new Error('no runnable snippet was found');
console.log(`${ran} snippets ran`);
