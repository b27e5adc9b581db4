/** Harnesses on demand: packages of npm and PyPI into a folder of the cache, whole or not at all. */
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { INSTALLED } from './found.js';
import { findProgram, searchPath } from './search-path.js';
import type { HarnessKind, Recipe } from './types.js';

export interface InstallOptions {
  /** A line for each step, before it begins. */
  onStep?: (line: string) => void;
  signal?: AbortSignal;
}

/** Characters of an installer's output that are kept for its complaint. */
const KEPT = 4_000;

interface Step {
  command: string;
  args: readonly string[];
}

const failed = (message: string, value: string, next: string): TreadleError =>
  new TreadleError({ code: 'harness_not_installed', message, value, next, fault: 'infrastructure', isRetryable: true });

const performed = (step: Step, folder: string, signal?: AbortSignal): Promise<{ code: number | null; said: string }> =>
  new Promise((done) => {
    let said = '';
    const child = spawn(step.command, step.args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal ? { signal } : {}),
    });
    const keep = (chunk: Buffer): void => {
      said = `${said}${chunk.toString('utf8')}`.slice(-KEPT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => done({ code: null, said: `${said}\n${error.message}` }));
    child.once('close', (code) => done({ code, said }));
  });

const NPM = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--omit=dev'];

const npmSteps = ({ npm = [] }: Recipe): Step[] => npm.map((name) => ({ command: 'npm', args: [...NPM, name] }));

/** Among the names that a Python may have, the first that runs and is of a fitting version: names may be there that run nothing. */
const pythonOf = async ({ python = [], needs }: Recipe, folder: string): Promise<string> => {
  const fits = 'import sys, venv; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 13) else 1)';
  for (const name of python) {
    if (findProgram(name, searchPath()) === undefined) continue;
    if ((await performed({ command: name, args: ['-c', fits] }, folder)).code === 0) return name;
  }
  throw failed('No fitting Python is on the search path', python.join(', '), `It needs ${needs}.`);
};

const pipSteps = async (recipe: Recipe, folder: string): Promise<Step[]> => {
  if (!recipe.pip) return [];
  const pip = ['install', '--disable-pip-version-check', '--no-input', '--quiet', ...recipe.pip];
  return [
    { command: await pythonOf(recipe, folder), args: ['-m', 'venv', 'venv'] },
    { command: join(folder, 'venv', 'bin', 'pip'), args: pip },
  ];
};

/** The folder it is in afterwards; what was there is replaced. Throws `harness_not_installed`, and then nothing of it is left. */
export const installHarness = async (
  { id, recipe }: HarnessKind,
  dir: string,
  { onStep, signal }: InstallOptions = {},
): Promise<string> => {
  const folder = join(dir, id);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, 'package.json'), '{"private":true}\n');
    for (const step of [...npmSteps(recipe), ...(await pipSteps(recipe, folder))]) {
      onStep?.([step.command.split('/').at(-1), ...step.args].join(' '));
      const { code, said } = await performed(step, folder, signal);
      if (code === 0) continue;
      const line =
        said
          .trim()
          .split('\n')
          .findLast((each) => /err/i.test(each)) ?? said.trim().split('\n').at(-1);
      throw failed(
        `${id} could not be installed`,
        line?.trim() || step.command,
        `It needs ${recipe.needs}, and its registry; try again, or install it yourself and put it on the search path.`,
      );
    }
    await writeFile(join(folder, INSTALLED), `${JSON.stringify({ id, packages: recipe.npm ?? recipe.pip })}\n`);
    return folder;
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
};
