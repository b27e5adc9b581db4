import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findHarness, harnessDir, harnessOf, INSTALLED } from './found.js';
import { installHarness } from './install.js';
import type { HarnessKind } from './types.js';

let root: string;
let dir: string;
const path = process.env.PATH;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'treadle-install-'));
  dir = join(root, 'cache');
  mkdirSync(join(root, 'bin'));
  process.env.PATH = `${join(root, 'bin')}:/usr/bin:/bin`;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(root, { recursive: true, force: true });
});

/** A program on the search path. */
const program = (name: string, script: string): void => {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
};
const kind = (recipe: Partial<HarnessKind['recipe']>): HarnessKind => ({
  id: 'toy',
  recipe: { program: 'bin/toy', name: 'toy-harness', needs: 'a toy', ...recipe },
  harness: () => ({ id: 'toy', command: () => ({ command: '', args: [], env: {}, files: {} }), toolName: () => '' }),
});
const NPM = kind({ npm: ['first@1', 'toy@2.3.4'] });
/** Puts a program there that tells its version when the last package comes. */
const GOOD = `case "$*" in *toy@2.3.4) mkdir bin; printf '#!/bin/sh\\necho toy v2.3.4-rc.1 built\\n' > bin/toy; chmod 755 bin/toy;; esac`;

it('is whole, told step by step, and found with its version', async () => {
  program('npm', GOOD);
  const steps: string[] = [];
  expect(await findHarness(NPM, dir)).toBeUndefined();
  const folder = await installHarness(NPM, dir, { onStep: (line) => steps.push(line) });
  expect(steps.map((line) => line.split(' ').at(-1))).toEqual(['first@1', 'toy@2.3.4']);
  expect(await harnessOf(NPM, dir)).toEqual({
    command: join(folder, 'bin/toy'),
    path: [],
    reads: [folder],
    version: '2.3.4-rc.1',
  });
});

it('that fails leaves nothing and says why, and a folder that is half made is not taken', async () => {
  program(
    'npm',
    'mkdir -p bin; echo x > bin/toy; chmod 755 bin/toy; echo "npm error code E404" >&2; echo later; exit 1',
  );
  await expect(installHarness(NPM, dir)).rejects.toMatchObject({
    code: 'harness_not_installed',
    value: 'npm error code E404',
    fault: 'infrastructure',
  });
  expect(existsSync(join(dir, 'toy'))).toBe(false);
  mkdirSync(join(dir, 'toy/bin'), { recursive: true });
  writeFileSync(join(dir, 'toy/bin/toy'), '', { mode: 0o755 });
  expect(await findHarness(NPM, dir)).toBeUndefined();
  await expect(harnessOf(NPM, dir)).rejects.toMatchObject({
    code: 'harness_not_found',
    next: expect.stringContaining('install toy'),
  });
});

it('says so where there is no installer at all, and where it is called off', async () => {
  process.env.PATH = join(root, 'bin');
  await expect(installHarness(NPM, dir)).rejects.toMatchObject({ code: 'harness_not_installed' });
  program('npm', 'exec /bin/sleep 600');
  const stop = new AbortController();
  const installing = installHarness(NPM, dir, {
    onStep: () => setTimeout(() => stop.abort(), 50),
    signal: stop.signal,
  });
  await expect(installing).rejects.toMatchObject({ code: 'harness_not_installed' });
  expect(existsSync(join(dir, 'toy'))).toBe(false);
});

it('takes the first Python that runs and fits', async () => {
  program('python3.99', 'echo "command not found" >&2; exit 127');
  program('python3.98', 'exit 1');
  program(
    'pythonfits',
    `[ "$2" = venv ] && mkdir -p venv/bin && printf '#!/bin/sh\\nmkdir bin; printf "#!/bin/sh\\\\necho 1.0\\\\n" > bin/toy; chmod 755 bin/toy\\n' > venv/bin/pip && chmod 755 venv/bin/pip; exit 0`,
  );
  const steps: string[] = [];
  const pip = kind({ pip: ['toy==1.0'], python: ['python3.99', 'python3.98', 'absent', 'pythonfits'] });
  const folder = await installHarness(pip, dir, { onStep: (line) => steps.push(line) });
  expect(steps[0]).toBe('pythonfits -m venv venv');
  expect(existsSync(join(folder, INSTALLED))).toBe(true);
  const none = kind({ pip: ['toy==1.0'], python: ['python3.99'] });
  await expect(installHarness(none, dir)).rejects.toMatchObject({ message: 'No fitting Python is on the search path' });
});

it('one that somebody else installed is taken; one that does not run is told apart', async () => {
  program('toy-harness', 'echo "toy 9.9"');
  expect(await harnessOf(NPM, dir)).toMatchObject({ command: join(root, 'bin/toy-harness'), version: '9.9' });
  program('toy-harness', 'echo broken >&2; exit 1');
  await expect(harnessOf(NPM, dir)).rejects.toMatchObject({ code: 'harness_does_not_run' });
});

it('the cache lies outside of every repository', () => {
  expect(harnessDir({ TREADLE_HARNESS_DIR: '/x' })).toBe('/x');
  expect(harnessDir({ XDG_CACHE_HOME: '/c' })).toBe('/c/treadle/harness');
  expect(harnessDir({})).toMatch(/\.cache\/treadle\/harness$/);
});
