/** A command line as words, as a shell reads it, without being one: quotes and backslashes, and nothing else. */
import { TreadleError } from '../../errors.js';

const bad = (message: string, line: string): TreadleError =>
  new TreadleError({
    code: 'bad_command',
    message,
    value: line,
    next: "Write it as in a shell: 'python3 agent.py --task {task}'. No pipes or variables; for those use sh -c '...'.",
  });

/** Throws `bad_command` for an open quote or no word at all. */
export const wordsOf = (line: string): [string, ...string[]] => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + line[++at];
    else if (quote !== '') {
      if (letter === quote) quote = '';
      else word = (word ?? '') + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw bad('A quote is not closed', line);
  if (word !== undefined) words.push(word);
  const [first, ...rest] = words;
  if (!first) throw bad('The command is empty', line);
  return [first, ...rest];
};
