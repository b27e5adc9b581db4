// Runs every ```sh and ```js snippet of README.md and docs/*.md that is marked as runnable (`sh run`, `js run`), offline.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
let ran = 0;
for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  const work = mkdtempSync(join(tmpdir(), 'treadle-snippets-'));
  for (const [, kind, code] of text.matchAll(/^```(sh|js) run\n([\s\S]*?)^```/gm)) {
    ran++;
    console.log(`-- ${page} snippet ${ran} (${kind})`);
    // A snippet's `treadle` is this checkout's; folders that one snippet makes, the next ones of its page may use.
    if (kind === 'sh') {
      const script = `set -euo pipefail\ntreadle() { node "${root}/dist/cli/main.js" "$@"; }\n${code}`;
      execFileSync('bash', ['-c', script], { cwd: work, stdio: 'inherit' });
    } else {
      const file = join(work, `snippet-${ran}.mjs`);
      writeFileSync(file, code.replaceAll("from 'treadle'", `from '${new URL('../dist/index.js', import.meta.url)}'`));
      execFileSync(process.execPath, [file], { cwd: work, stdio: 'inherit' });
    }
  }
  rmSync(work, { recursive: true, force: true });
}
if (ran === 0) throw new Error('no runnable snippet was found');
console.log(`${ran} snippets ran`);
