/** Strings that meet a regular expression: the subset that API documents use. What it cannot do it says by undefined. */
import { LONGEST, languageOf } from '../../kit/language/language.js';
import type { Rng } from '../../kit/rng.js';

type Node = (r: Rng) => string;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const WORD = `${LOWER}${LOWER.toUpperCase()}${DIGITS}_`;
const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
const CLASSES: Record<string, string> = { d: DIGITS, w: WORD, s: ' ' };
/** An unbounded quantifier adds at most this many. */
const MORE = 6;

class Unsupported extends Error {}

const without = (set: string): string => [...PRINTABLE].filter((char) => !set.includes(char)).join('');

class Parser {
  private at = 0;
  constructor(private readonly text: string) {}

  whole(): Node {
    const node = this.alternatives();
    if (this.at < this.text.length) throw new Unsupported();
    return node;
  }

  private peek(): string {
    return this.text[this.at] ?? '';
  }

  private take(expected?: string): string {
    const char = this.text[this.at++];
    if (char === undefined || (expected && char !== expected)) throw new Unsupported();
    return char;
  }

  private alternatives(): Node {
    const options = [this.sequence()];
    while (this.peek() === '|') {
      this.at++;
      options.push(this.sequence());
    }
    return options.length === 1 ? (options[0] as Node) : (r) => r.pick(options)(r);
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.at < this.text.length && this.peek() !== '|' && this.peek() !== ')') {
      const atom = this.atom();
      if (atom) parts.push(this.repeated(atom));
    }
    return (r) => parts.map((part) => part(r)).join('');
  }

  private atom(): Node | undefined {
    const char = this.take();
    if (char === '^' || char === '$') return undefined;
    if (char === '(') return this.group();
    if (char === '[') return this.set();
    if (char === '.') return (r) => r.pick([...`${LOWER}${DIGITS}`]);
    if (char === '\\') {
      const set = this.escape();
      return set === '' ? undefined : (r) => r.pick([...set]);
    }
    return () => char;
  }

  private group(): Node | undefined {
    let looks = false;
    if (this.peek() === '?') {
      this.at++;
      const kind = this.take();
      if (kind === '!' || kind === '=') looks = true;
      else if (kind === '<') {
        if (this.peek() === '!' || this.peek() === '=') looks = true;
        else while (this.take() !== '>');
        if (looks) this.at++;
      } else if (kind !== ':') throw new Unsupported();
    }
    const node = this.alternatives();
    this.take(')');
    // A look-around adds nothing; whether it holds is tested on the finished string.
    return looks ? undefined : node;
  }

  /** The characters an escape stands for; '' for an anchor. */
  private escape(): string {
    const char = this.take();
    if (char in CLASSES) return CLASSES[char] as string;
    if (/[DWS]/.test(char)) return without(CLASSES[char.toLowerCase()] as string).replace(/[^A-Za-z-]/g, '');
    if (char === 'b' || char === 'B' || char === 'A' || char === 'z' || char === 'Z') return '';
    if (char === 'n') return '\n';
    if (char === 't') return '\t';
    if (char === 'r') return '\r';
    if (char === 'u' || char === 'x') {
      const size = char === 'u' ? 4 : 2;
      const code = Number.parseInt(this.text.slice(this.at, this.at + size), 16);
      this.at += size;
      if (Number.isNaN(code)) throw new Unsupported();
      return String.fromCharCode(code);
    }
    if (char === 'p') {
      this.take('{');
      const start = this.at;
      while (this.take() !== '}');
      const name = this.text.slice(start, this.at - 1);
      if (/^N/.test(name)) return DIGITS;
      if (/^Lu/.test(name)) return LOWER.toUpperCase();
      if (/^L/.test(name)) return LOWER;
      throw new Unsupported();
    }
    if (/[1-9]/.test(char)) throw new Unsupported();
    return char;
  }

  private set(): Node {
    const negated = this.peek() === '^';
    if (negated) this.at++;
    let chars = '';
    let first = true;
    while (this.peek() !== ']' || first) {
      first = false;
      let low = this.take();
      if (low === '\\') low = this.escape();
      if (low.length === 1 && this.peek() === '-' && this.text[this.at + 1] !== ']') {
        this.at++;
        let high = this.take();
        if (high === '\\') high = this.escape();
        if (high.length !== 1) throw new Unsupported();
        const from = low.charCodeAt(0);
        const to = Math.min(high.charCodeAt(0), from + 200);
        for (let code = from; code <= to; code++) chars += String.fromCharCode(code);
      } else chars += low;
    }
    this.at++;
    if (negated) chars = [...`${LOWER}${DIGITS}-_ `].filter((char) => !chars.includes(char)).join('');
    // Letters and digits read best where a class allows them.
    const plain = [...chars].filter((char) => /[A-Za-z0-9]/.test(char));
    const pool = plain.length > 0 ? plain : [...chars];
    if (pool.length === 0) throw new Unsupported();
    return (r) => r.pick(pool);
  }

  private repeated(atom: Node): Node {
    const found = /^(\*|\+|\?|\{(\d+)(,(\d*))?\})\??\+?/.exec(this.text.slice(this.at, this.at + 24));
    if (!found) return atom;
    this.at += found[0].length;
    let [low, high] = [0, MORE];
    if (found[1] === '+') low = 1;
    else if (found[1] === '?') high = 1;
    else if (found[2] !== undefined) {
      low = Number(found[2]);
      high = found[3] === undefined ? low : found[4] ? Number(found[4]) : low + MORE;
    }
    high = Math.max(low, Math.min(high, low + 24));
    return (r) => {
      let out = '';
      for (let n = r.int(low, high); n > 0; n--) out += atom(r);
      return out;
    };
  }
}

interface Made {
  test: RegExp;
  node: Node | undefined;
}
const known = new Map<string, Made | null>();

const compiled = (pattern: string): Made | null => {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  let made: Made | null = null;
  try {
    const test = new RegExp(pattern, /\\p\{/.test(pattern) ? 'u' : '');
    made = { test, node: undefined };
    made.node = new Parser(pattern).whole();
  } catch {
    // A pattern we cannot read is left to the caller, who knows whether the column may stay empty.
  }
  if (known.size > 5_000) known.clear();
  known.set(pattern, made);
  return made;
};

/** Whether the text meets the pattern; an unreadable pattern is met by nothing. */
export const meetsPattern = (pattern: string, text: string): boolean => compiled(pattern)?.test.test(text) ?? false;

/** Where drawing at random meets no look or length, the texts that there are are counted. */
const counted = (pattern: string, test: RegExp, r: Rng, low: number, high: number): string | undefined => {
  const most = Math.min(high, LONGEST);
  const language = languageOf([pattern], low, most);
  if (!language) return undefined;
  const lengths: number[] = [];
  for (let length = low; length <= most && lengths.length < 6; length++)
    if (language.count(length) > 0n) lengths.push(length);
  for (let tries = 0; tries < 10 && lengths.length > 0; tries++) {
    const length = r.pick(lengths);
    const all = language.count(length);
    const drawn = (BigInt(r.int(0, 2 ** 30)) << 30n) + BigInt(r.int(0, 2 ** 30));
    const text = language.nth(length, all > 2n ** 61n ? drawn * (all / 2n ** 61n) : drawn % all);
    if (test.test(text)) return text;
  }
  return undefined;
};

/** A text that meets `pattern` and the length bounds, or undefined when none was found. */
export const stringOf = (pattern: string, r: Rng, low = 0, high = 10_000): string | undefined => {
  const made = compiled(pattern);
  if (!made) return undefined;
  for (let tries = 0; made.node && tries < 30; tries++) {
    const text = made.node(r);
    if (text.length >= low && text.length <= high && made.test.test(text)) return text;
  }
  return counted(pattern, made.test, r, low, high);
};
