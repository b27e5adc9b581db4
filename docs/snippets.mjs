// Runs every ```sh and ```js snippet of README.md and docs/*.md that is marked as runnable (`sh run`, `js run`), offline.
// `node docs/snippets.mjs docs/cli.md` runs one page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const pages = process.argv.length > 2 ? process.argv.slice(2) : all;
// A snippet's `treadle` is this checkout's.
const bin = mkdtempSync(join(tmpdir(), 'treadle-bin-'));
writeFileSync(join(bin, 'treadle'), `#!/bin/sh\nexec "${process.execPath}" "${root}dist/cli/main.js" "$@"\n`, {
  mode: 0o755,
});

let ran = 0;
for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  // Folders that one snippet makes, the next ones of its page may use.
  const work = mkdtempSync(join(tmpdir(), 'treadle-snippets-'));
  // As if it had been installed there.
  mkdirSync(join(work, 'node_modules'));
  symlinkSync(root, join(work, 'node_modules', 'treadle'));
  try {
    for (const [, kind, code] of text.matchAll(/^```(sh|js) run\n([\s\S]*?)^```/gm)) {
      ran++;
      const start = performance.now();
      console.log(`-- ${page}, snippet ${ran} (${kind})`);
      if (kind === 'sh') {
        const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
        execFileSync('bash', ['-euo', 'pipefail', '-c', code], { cwd: work, stdio: 'inherit', env });
      } else {
        const file = join(work, `snippet-${ran}.mjs`);
        writeFileSync(file, code);
        execFileSync(process.execPath, [file], { cwd: work, stdio: 'inherit' });
      }
      console.log(`   ${((performance.now() - start) / 1000).toFixed(1)} s`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
rmSync(bin, { recursive: true, force: true });
if (ran === 0) throw new Error('no runnable snippet was found');
console.log(`${ran} snippets ran`);
