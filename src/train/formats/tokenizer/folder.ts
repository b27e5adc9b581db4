/** A tokenizer's folder as Hugging Face lays it out: tokenizer.json, tokenizer_config.json, and a chat template in one of three places. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { TreadleError } from '../../../errors.js';
import { sha256 } from '../../../kit/hash.js';

export interface TokenizerFolder {
  tokenizer: Tokenizer;
  template: Template;
  /** What templates are given beside messages: `bos_token`, `eos_token` and their like. */
  words: Record<string, string>;
  /** Strings of which the text around a turn is made: special tokens, and other added ones that the template writes itself. */
  control: string[];
  /** Special tokens alone: one of them ends a turn. */
  special: string[];
  /** SHA-256 of tokenizer.json and of the template. */
  hashes: { tokenizer: string; template: string };
}

const refused = (code: string, message: string, value: string, next: string, cause?: unknown): TreadleError =>
  new TreadleError({ code, message, value, next, ...(cause === undefined ? {} : { cause }) });

const NEXT = 'Give the folder of a model with tokenizer.json and tokenizer_config.json, as --tokenizer DIR.';

const reading = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw refused('unreadable_file', `Cannot read ${path}`, path, 'Make it readable for this user.', thrown);
  }
};

const object = (path: string, text: string): Record<string, unknown> => {
  try {
    const value = JSON.parse(text) as unknown;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw refused('bad_tokenizer', `${path} is no JSON object`, path, NEXT);
};

/** Of several named templates the one for tools, else the default one. */
const templateIn = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const named = new Map(
    value.flatMap((one: { name?: unknown; template?: unknown }) =>
      typeof one?.name === 'string' && typeof one.template === 'string' ? [[one.name, one.template] as const] : [],
    ),
  );
  return named.get('tool_use') ?? named.get('default');
};

/** Tokens are named by their text, or by an object that holds it. */
const wordOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
};

/** Throws `not_a_tokenizer`, `bad_tokenizer`, `no_chat_template`, `bad_chat_template`. */
export const readTokenizer = (dir: string): TokenizerFolder => {
  if (!existsSync(dir) || !statSync(dir).isDirectory())
    throw refused('not_a_tokenizer', 'There is no such folder', dir, NEXT);
  const at = (name: string): string => join(dir, name);
  if (!existsSync(at('tokenizer.json')))
    throw refused('not_a_tokenizer', 'The folder holds no tokenizer.json', dir, NEXT);
  const text = reading(at('tokenizer.json'));
  const json = object(at('tokenizer.json'), text);
  const config = existsSync(at('tokenizer_config.json'))
    ? object(at('tokenizer_config.json'), reading(at('tokenizer_config.json')))
    : {};
  const source =
    (existsSync(at('chat_template.jinja')) ? reading(at('chat_template.jinja')) : undefined) ??
    templateIn(config.chat_template) ??
    (existsSync(at('chat_template.json'))
      ? templateIn(object(at('chat_template.json'), reading(at('chat_template.json'))).chat_template)
      : undefined);
  if (source === undefined)
    throw refused(
      'no_chat_template',
      'The tokenizer has no chat template (looked for chat_template.jinja, chat_template in tokenizer_config.json, chat_template.json)',
      dir,
      'Put the chat template of the model that is to be trained into chat_template.jinja there; base models have none.',
    );
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(json, config);
    tokenizer.encode('a', { add_special_tokens: false });
  } catch (thrown) {
    throw refused('bad_tokenizer', `tokenizer.json cannot be used (${(thrown as Error).message})`, dir, NEXT, thrown);
  }
  let template: Template;
  try {
    template = new Template(source);
  } catch (thrown) {
    throw refused(
      'bad_chat_template',
      `The chat template cannot be read (${(thrown as Error).message})`,
      dir,
      NEXT,
      thrown,
    );
  }
  const added = (Array.isArray(json.added_tokens) ? json.added_tokens : []) as {
    content?: unknown;
    special?: unknown;
  }[];
  const tokens = added.flatMap(({ content, special }) =>
    typeof content === 'string' && content !== '' ? [{ content, special: special === true }] : [],
  );
  const words = Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => {
      const word = key.endsWith('_token') ? wordOf(value) : undefined;
      return word === undefined ? [] : [[key, word]];
    }),
  );
  const special = tokens.filter((token) => token.special).map(({ content }) => content);
  return {
    tokenizer,
    template,
    words,
    special,
    control: tokens.filter((token) => token.special || source.includes(token.content)).map(({ content }) => content),
    hashes: { tokenizer: sha256(text), template: sha256(source) },
  };
};
