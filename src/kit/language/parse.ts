/** A regular expression as a tree: what API documents use of ECMAScript's syntax, over printable ASCII. */

export type Tree =
  | { is: 'nothing' }
  | { is: 'chars'; chars: string }
  | { is: 'all'; parts: Tree[] }
  | { is: 'any'; options: Tree[] }
  | { is: 'many'; of: Tree; least: number; most: number };

/** What a text must or must not begin with; `whole` where the look goes to its end. */
export interface Look {
  tree: Tree;
  not: boolean;
  whole: boolean;
}

export interface Parsed {
  tree: Tree;
  /** Looks ahead from the very start; all others are left out of the tree. */
  looks: Look[];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const PLAIN = `${DIGITS}${LOWER.toUpperCase()}${LOWER}`;
const WORD = `${PLAIN}_`;
export const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
/** Characters that a path takes as they are and that read well in one. */
const SAFE = `${WORD}-.~:@`;
const CLASSES: Readonly<Record<string, string>> = { d: DIGITS, w: WORD, s: ' ' };
/** More repeats than this are none that a text needs. */
const MOST = 64;

export class Unsupported extends Error {}

const without = (set: string): string => [...PRINTABLE].filter((char) => !set.includes(char)).join('');
const shared = (set: string, with_: string): string => [...set].filter((char) => with_.includes(char)).join('');

/** `plain` keeps letters and digits of a class that has some, `safe` what a path takes as it is, `every` all of it. */
export type Width = 'plain' | 'safe' | 'every';

class Parser {
  private at = 0;
  readonly looks: Look[] = [];
  constructor(
    private readonly text: string,
    private width: Width,
  ) {}

  whole(): Parsed {
    const tree = this.alternatives(true);
    if (this.at < this.text.length) throw new Unsupported();
    return { tree, looks: this.looks };
  }

  private peek(): string {
    return this.text[this.at] ?? '';
  }

  private take(expected?: string): string {
    const char = this.text[this.at++];
    if (char === undefined || (expected && char !== expected)) throw new Unsupported();
    return char;
  }

  private alternatives(isTop: boolean): Tree {
    const options = [this.sequence(isTop)];
    while (this.peek() === '|') {
      this.at++;
      // A look belongs to its alternative alone.
      if (isTop) this.looks.length = 0;
      options.push(this.sequence(false));
    }
    return options.length === 1 ? (options[0] as Tree) : { is: 'any', options };
  }

  private sequence(isTop: boolean): Tree {
    const parts: Tree[] = [];
    while (this.at < this.text.length && this.peek() !== '|' && this.peek() !== ')') {
      const atom = this.atom(isTop && parts.length === 0);
      if (atom) parts.push(this.repeated(atom));
    }
    return parts.length === 1 ? (parts[0] as Tree) : { is: 'all', parts };
  }

  private chars(set: string): Tree {
    const wanted = this.width === 'every' ? set : shared(set, this.width === 'plain' ? PLAIN : SAFE);
    const chars = wanted || shared(set, SAFE) || set;
    if (chars === '' || [...chars].some((char) => !PRINTABLE.includes(char))) throw new Unsupported();
    return { is: 'chars', chars };
  }

  private atom(isStart: boolean): Tree | undefined {
    const char = this.take();
    if (char === '^' || char === '$') return undefined;
    if (char === '(') return this.group(isStart);
    if (char === '[') return this.chars(this.set());
    if (char === '.') return this.chars(PRINTABLE);
    if (char === '\\') {
      const set = this.escape();
      return set === '' ? undefined : this.chars(set);
    }
    if (!PRINTABLE.includes(char) || /[*+?]/.test(char)) throw new Unsupported();
    return { is: 'chars', chars: char };
  }

  private group(isStart: boolean): Tree | undefined {
    let looks: '=' | '!' | 'behind' | undefined;
    if (this.peek() === '?') {
      this.at++;
      const kind = this.take();
      if (kind === '!' || kind === '=') looks = kind;
      else if (kind === '<') {
        if (this.peek() === '!' || this.peek() === '=') {
          looks = 'behind';
          this.at++;
        } else while (this.take() !== '>');
      } else if (kind !== ':') throw new Unsupported();
    }
    if (looks === undefined) {
      const inside = this.alternatives(false);
      this.take(')');
      return inside;
    }
    const { width } = this;
    const from = this.at;
    this.width = 'every';
    const tree = this.alternatives(false);
    this.width = width;
    const whole = /\$\)?$/.test(this.text.slice(from, this.at));
    this.take(')');
    if (isStart && looks !== 'behind') this.looks.push({ tree, not: looks === '!', whole });
    return undefined;
  }

  /** The characters an escape stands for; '' for an anchor. */
  private escape(): string {
    const char = this.take();
    if (char in CLASSES) return CLASSES[char] as string;
    if (/[DWS]/.test(char)) return without(CLASSES[char.toLowerCase()] as string);
    if (/[bBAzZ]/.test(char)) return '';
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
      if (/^Ll/.test(name)) return LOWER;
      if (/^L/.test(name)) return `${LOWER}${LOWER.toUpperCase()}`;
      throw new Unsupported();
    }
    if (/[1-9kntrfv0c]/.test(char)) throw new Unsupported();
    return char;
  }

  /** The characters of a class; those beyond ASCII are left out. */
  private set(): string {
    const negated = this.peek() === '^';
    if (negated) this.at++;
    let chars = '';
    let first = true;
    while (this.peek() !== ']' || first) {
      first = false;
      let low = this.take();
      if (low === '\\') low = this.peek() === 'b' || /[ntrfv]/.test(this.peek()) ? this.skipped() : this.escape();
      if (low.length === 1 && this.peek() === '-' && this.text[this.at + 1] !== ']') {
        this.at++;
        let high = this.take();
        if (high === '\\') high = this.escape();
        if (high.length !== 1) {
          chars += `${low}-${high}`;
          continue;
        }
        const to = Math.min(high.charCodeAt(0), 126);
        for (let code = Math.max(32, low.charCodeAt(0)); code <= to; code++) chars += String.fromCharCode(code);
      } else chars += low;
    }
    this.at++;
    return negated ? without(chars) : shared([...new Set(chars)].join(''), PRINTABLE);
  }

  private skipped(): string {
    this.at++;
    return '';
  }

  private repeated(of: Tree): Tree {
    const found = /^(\*|\+|\?|\{(\d+)(,(\d*))?\})\??/.exec(this.text.slice(this.at, this.at + 24));
    if (!found) return of;
    this.at += found[0].length;
    const [, sign, low, comma, high] = found;
    const least = sign === '*' || sign === '?' ? 0 : sign === '+' ? 1 : Number(low);
    const open = sign === '*' || sign === '+' || (comma !== undefined && high === '');
    const most = open ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : high ? Number(high) : least;
    if (least > 4 * MOST || most < least) throw new Unsupported();
    return { is: 'many', of, least, most: most - least > MOST ? Number.POSITIVE_INFINITY : most };
  }
}

/** Throws `Unsupported` for what is not of the subset. */
export const parsePattern = (pattern: string, width: Width): Parsed => new Parser(pattern, width).whole();
