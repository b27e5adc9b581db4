/** The tools of a server that runs: started (or reached), asked for its list, and ended again. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TreadleError } from '../../errors.js';
import { connect } from '../../serve/outside/connect.js';
import { type OutsideSpec, parseOutsideSpec } from '../../serve/outside/spec.js';
import { listTools } from '../../serve/outside/tools.js';
import { identifier } from '../openapi/names.js';

export interface LiveList {
  /** From the command or the host, never a machine path. */
  name: string;
  /** The list as JSON text, the same for the same answer. */
  text: string;
}

/** A command line as words: quotes group, a backslash takes the next character. Throws `bad_server` for an open quote. */
export const splitCommand = (line: string): string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (c === '\\' && quote !== "'" && i + 1 < line.length) word = (word ?? '') + line.charAt(++i);
    else if (quote !== '') {
      if (c === quote) quote = '';
      else word = (word ?? '') + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + c;
  }
  if (quote !== '')
    throw new TreadleError({
      code: 'bad_server',
      message: 'A quote is not closed',
      value: line,
      next: `Add a ${quote}.`,
    });
  if (word !== undefined) words.push(word);
  return words;
};

/** Runners of packages that have no name of their own to give a service. */
const RUNNERS =
  /^(npx|uvx|node|deno|bunx?|python3?|docker|sh|bash|env|run|exec|-.*|.*=.*|index\.\w+|dist|main\.\w+|server\.\w+)$/;

const nameOf = (words: readonly string[]): string => {
  const named = words
    .flatMap((word, i) => {
      const parts = word.split(/[\\/]/).reverse();
      return i === 0 ? parts.slice(0, 1) : parts;
    })
    .find((word) => word !== '' && !RUNNERS.test(word));
  return identifier((named ?? 'server').replace(/@[\d.^~]*$|\.(m?js|ts|py)$/g, ''), 'server', 40);
};

const specOf = (target: string, startSeconds: number): OutsideSpec => {
  const base = { treadle: 'server/1', keeps: 'unknown', startSeconds };
  if (/^https?:\/\//i.test(target)) {
    const id = identifier(URL.canParse(target) ? new URL(target).hostname : 'server', 'server', 40);
    return parseOutsideSpec({ ...base, id, title: id, transport: { http: { url: target } } });
  }
  const words = splitCommand(target);
  const [command, ...args] = words;
  if (command === undefined)
    throw new TreadleError({
      code: 'bad_server',
      message: 'The command is empty',
      value: target,
      next: 'Give a command (`--mcp "npx -y some-server"`) or an address (`--mcp http://...`).',
    });
  const id = nameOf(words);
  // It runs in a folder of its own, so what is named from here is named in full.
  const here = (word: string): string =>
    !word.startsWith('-') && /[\\/.]/.test(word) && existsSync(word) ? resolve(word) : word;
  return parseOutsideSpec({
    ...base,
    id,
    title: id,
    transport: { stdio: { command: here(command), args: args.map(here) } },
  });
};

/**
 * Lists the tools of `target`, a command line or an http(s) address. Throws `bad_server`, `server_start_failed`,
 * `server_start_timeout` (after `seconds`, 30) and `server_bad_answer`; the process it started is ended in any case.
 */
export const listLive = async (target: string, seconds = 30): Promise<LiveList> => {
  const spec = specOf(target.trim(), seconds);
  const folder = await mkdtemp(join(tmpdir(), 'treadle-mcp-'));
  try {
    const signal = AbortSignal.timeout(seconds * 1_000);
    const link = await connect(spec, folder, signal);
    try {
      const tools = await listTools(link.client, spec, signal).catch((cause: unknown) => {
        if (cause instanceof TreadleError) throw cause;
        throw new TreadleError({
          code: signal.aborted ? 'server_start_timeout' : 'server_bad_answer',
          message: signal.aborted
            ? `${spec.id} did not list its tools within ${seconds} s`
            : `${spec.id} could not list its tools: ${cause instanceof Error ? cause.message.slice(0, 300) : String(cause)}`,
          value: link.diagnostics().trim().slice(-500) || undefined,
          next: 'Run its command by hand, or give the list as a JSON file.',
          fault: 'infrastructure',
          isRetryable: signal.aborted,
          cause,
        });
      });
      return { name: spec.id, text: JSON.stringify({ tools }) };
    } finally {
      await link.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
};
