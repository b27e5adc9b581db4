/** Which harnesses are on this machine: in the cache folder where `treadle harness install` puts them, or on the search path. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { openSandbox } from '../../serve/sandbox/sandbox.js';
import { findProgram, installations, searchPath } from './search-path.js';
import type { Found, HarnessKind } from './types.js';

/** Outside every repository: TREADLE_HARNESS_DIR, or treadle/harness in the user's cache folder. */
export const harnessDir = (env: NodeJS.ProcessEnv = process.env): string =>
  env.TREADLE_HARNESS_DIR || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treadle', 'harness');

/** In a harness's folder once it is whole. */
export const INSTALLED = 'treadle-harness.json';

const VERSION_MS = 60_000;

/** What `--version` prints, asked in a folder and environment of its own; undefined where the program does not run. */
export const versionOf = async ({ command, path }: Pick<Found, 'command' | 'path'>): Promise<string | undefined> => {
  const sandbox = await openSandbox(await mkdtemp(join(tmpdir(), 'treadle-version-')));
  try {
    const asked = sandbox.start(command, ['--version'], { env: { PATH: searchPath(path).join(':') } });
    asked.endInput();
    const late = setTimeout(() => asked.signal('SIGKILL'), VERSION_MS);
    const { code } = await asked.exited;
    await asked.drained;
    clearTimeout(late);
    return code === 0 ? /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/.exec(asked.output().stdout)?.[0] : undefined;
  } catch {
    return undefined;
  } finally {
    await sandbox.close().catch(() => undefined);
  }
};

/** A virtual environment's Python is a link to one that lies elsewhere. */
const linked = (program: string): string[] =>
  existsSync(program) ? installations([dirname(realpathSync(program))]) : [];

const installed = ({ id, recipe }: HarnessKind, dir: string): Omit<Found, 'version'> | undefined => {
  const folder = join(dir, id);
  const command = join(folder, recipe.program);
  if (!existsSync(join(folder, INSTALLED)) || !existsSync(command)) return undefined;
  const path = (recipe.path ?? []).map((part) => join(folder, part));
  return { command, path, reads: [folder, ...path.flatMap((part) => linked(join(part, 'python')))] };
};

const elsewhere = ({ recipe }: HarnessKind): Omit<Found, 'version'> | undefined => {
  const command = findProgram(recipe.name, searchPath());
  return command === undefined ? undefined : { command, path: [], reads: [] };
};

/** Where it is, with its version; `version` is absent where it does not run. Undefined where it is not installed. */
export const findHarness = async (kind: HarnessKind, dir = harnessDir()): Promise<Found | undefined> => {
  const found = installed(kind, dir) ?? elsewhere(kind);
  if (found === undefined) return undefined;
  const version = await versionOf(found);
  return { ...found, ...(version === undefined ? {} : { version }) };
};

/** Throws `harness_not_found` and `harness_does_not_run`. */
export const harnessOf = async (kind: HarnessKind, dir = harnessDir()): Promise<Found> => {
  const found = await findHarness(kind, dir);
  if (found?.version !== undefined) return found;
  if (found !== undefined)
    throw new TreadleError({
      code: 'harness_does_not_run',
      message: `${kind.id} is installed, but does not tell its version`,
      value: found.command,
      next: `Try it by hand with --version; it needs ${kind.recipe.needs}. \`treadle harness install ${kind.id}\` installs it anew.`,
      fault: 'infrastructure',
    });
  throw new TreadleError({
    code: 'harness_not_found',
    message: `${kind.id} is not installed`,
    value: join(dir, kind.id),
    next: `Run \`treadle harness install ${kind.id}\`.`,
  });
};
