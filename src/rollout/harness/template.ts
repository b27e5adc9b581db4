/** Any command as a harness: a command line with places to fill in, and the same things in its environment. */
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { TreadleError } from '../../errors.js';
import type { Harness, HarnessPlace } from './types.js';
import { wordsOf } from './words.js';

const PLACES: Readonly<Record<string, (place: HarnessPlace) => string>> = {
  task: ({ task }) => task,
  system: ({ system }) => system,
  model: ({ model }) => model,
  model_base_url: ({ openaiBaseUrl }) => openaiBaseUrl,
  anthropic_base_url: ({ anthropicBaseUrl }) => anthropicBaseUrl,
  model_token: ({ modelToken }) => modelToken,
  mcp_url: ({ mcpUrl }) => mcpUrl,
  mcp_token: ({ mcpToken }) => mcpToken,
  workdir: ({ workdir }) => workdir,
  timeout: ({ timeoutSeconds }) => String(timeoutSeconds),
};

export const PLACE_NAMES: readonly string[] = Object.keys(PLACES);

const PLACE = /\{([a-z_]+)\}/g;

const checkPlaces = (line: string): void => {
  for (const [whole, name = ''] of line.matchAll(PLACE))
    if (!Object.hasOwn(PLACES, name))
      throw new TreadleError({
        code: 'bad_command',
        message: 'The command has a place that nothing is known for',
        value: whole,
        next: `Use ${PLACE_NAMES.map((known) => `{${known}}`).join(', ')}.`,
      });
};

/** The same for programs that read their environment, as the usual clients do. */
const environmentOf = (place: HarnessPlace): Record<string, string> => ({
  OPENAI_BASE_URL: place.openaiBaseUrl,
  OPENAI_API_KEY: place.modelToken,
  ANTHROPIC_BASE_URL: place.anthropicBaseUrl,
  ANTHROPIC_API_KEY: place.modelToken,
  TREADLE_MODEL: place.model,
  TREADLE_MCP_URL: place.mcpUrl,
  TREADLE_MCP_TOKEN: place.mcpToken,
  TREADLE_TASK: place.task,
  TREADLE_SYSTEM: place.system,
});

/** Files that the command line names live somewhere, often with others that they need beside them. */
const readsOf = (words: readonly string[]): string[] =>
  words
    .filter((word) => isAbsolute(word) && existsSync(word))
    .map((word) => (statSync(word).isDirectory() ? word : dirname(word)));

/** How MCP clients name a server's tools. */
const PREFIX = /^(?:mcp(?:__|_|\.))?treadle(?:__|_|[.:/-])/;

/**
 * `./agent.py` and other paths to the program are taken from `cwd`, since the command runs in a folder of its own; all other words
 * stay as they are. Throws `bad_command`.
 */
export const commandHarness = (line: string, cwd = process.cwd()): Harness => {
  checkPlaces(line);
  const [first, ...rest] = wordsOf(line);
  const program = first.includes('/') ? resolve(cwd, first) : first;
  const reads = readsOf([program, ...rest]);
  return {
    id: 'command',
    command: (place) => ({
      command: program,
      // Filled in once and by words: what a task says is never read as a command line.
      args: rest.map((word) => word.replace(PLACE, (_, name: string) => PLACES[name]?.(place) ?? '')),
      env: environmentOf(place),
      files: {},
      reads,
    }),
    toolName: (shown) => shown.replace(PREFIX, ''),
    answer: (stdout) => stdout.trim() || undefined,
  };
};
