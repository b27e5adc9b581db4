/**
 * The SQL conditions of CHECK constraints and invariants, evaluated over rows in memory with three-valued logic. Covers
 * comparisons, arithmetic, and / or / not, in, between, like, is null and common functions; anything else gives undefined.
 */
import type { SqlValue } from '../state/types.js';

/** Looks a column up: `t.status` -> ('t', 'status'), a bare name -> ('', name), `:now` -> (':', 'now'). */
export type Lookup = (of: string, name: string) => SqlValue | undefined;
/** 1, 0 or null for a condition; any value for an expression. */
export type SqlExpression = (look: Lookup) => SqlValue;

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|(\d+(?:\.\d+)?)|(:[A-Za-z_]\w*)|([A-Za-z_]\w*|"[^"]+"|`[^`]+`)|(<>|!=|<=|>=|==|\|\||[-+*/%().,<>=]))/y;

interface Token {
  kind: 'text' | 'number' | 'param' | 'name' | 'op';
  text: string;
}
class Unsupported extends Error {}

const tokens = (sql: string): Token[] => {
  const out: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = sql.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(sql);
    if (!found) throw new Unsupported();
    const [, text, number, param, name, op] = found;
    if (text !== undefined) out.push({ kind: 'text', text: text.slice(1, -1).replaceAll("''", "'") });
    else if (number !== undefined) out.push({ kind: 'number', text: number });
    else if (param !== undefined) out.push({ kind: 'param', text: param.slice(1) });
    else if (name !== undefined) out.push({ kind: 'name', text: name.replace(/^["`]|["`]$/g, '') });
    else out.push({ kind: 'op', text: op as string });
  }
  return out;
};

const truth = (value: SqlValue): boolean | null =>
  value === null ? null : typeof value === 'number' ? value !== 0 : Number.parseFloat(value) > 0;
const bit = (value: boolean): number => (value ? 1 : 0);
const order = (a: string | number, b: string | number): number => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'number' ? -1 : 1; // SQLite sorts numbers before texts
};
const compare = (op: string, a: SqlValue, b: SqlValue): SqlValue => {
  if (a === null || b === null) return null;
  const by = order(a, b);
  switch (op) {
    case '=':
    case '==':
      return bit(by === 0);
    case '<>':
    case '!=':
      return bit(by !== 0);
    case '<':
      return bit(by < 0);
    case '<=':
      return bit(by <= 0);
    case '>':
      return bit(by > 0);
    default:
      return bit(by >= 0);
  }
};
const arithmetic = (op: string, a: SqlValue, b: SqlValue): SqlValue => {
  if (a === null || b === null) return null;
  if (op === '||') return `${a}${b}`;
  const [x, y] = [Number(a), Number(b)];
  if (op === '+') return x + y;
  if (op === '-') return x - y;
  if (op === '*') return x * y;
  if (y === 0) return null;
  if (op === '%') return Math.trunc(x) % Math.trunc(y);
  return Number.isInteger(x) && Number.isInteger(y) ? Math.trunc(x / y) : x / y;
};
const like = (text: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('%', '[\\s\\S]*')
      .replaceAll('_', '[\\s\\S]')}$`,
    'i',
  ).test(text);

const first = (values: SqlValue[]): SqlValue => values.find((value) => value !== null) ?? null;
const numeric =
  (apply: (...values: number[]) => number) =>
  (values: SqlValue[]): SqlValue =>
    values.some((value) => value === null) ? null : apply(...values.map(Number));
const FUNCTIONS: Record<string, (values: SqlValue[]) => SqlValue> = {
  coalesce: first,
  ifnull: first,
  nullif: ([a = null, b = null]) => (a !== null && b !== null && a === b ? null : a),
  abs: numeric(Math.abs),
  round: numeric((x, digits = 0) => Math.round(x * 10 ** digits) / 10 ** digits),
  min: numeric(Math.min),
  max: numeric(Math.max),
  lower: ([a = null]) => (a === null ? null : String(a).toLowerCase()),
  upper: ([a = null]) => (a === null ? null : String(a).toUpperCase()),
  trim: ([a = null]) => (a === null ? null : String(a).trim()),
  length: ([a = null]) => (a === null ? null : String(a).length),
};

class Parser {
  private at = 0;
  constructor(private readonly list: Token[]) {}

  whole(): SqlExpression {
    const out = this.or();
    if (this.at < this.list.length) throw new Unsupported();
    return out;
  }

  private word(...words: string[]): boolean {
    const token = this.list[this.at];
    if (token?.kind !== 'name' || !words.includes(token.text.toLowerCase())) return false;
    this.at++;
    return true;
  }

  private op(...ops: string[]): string | undefined {
    const token = this.list[this.at];
    if (token?.kind !== 'op' || !ops.includes(token.text)) return undefined;
    this.at++;
    return token.text;
  }

  private need(op: string): void {
    if (!this.op(op)) throw new Unsupported();
  }

  private or(): SqlExpression {
    let left = this.and();
    while (this.word('or')) {
      const [a, b] = [left, this.and()];
      left = (look) => {
        const x = truth(a(look));
        if (x === true) return 1;
        const y = truth(b(look));
        return y === true ? 1 : x === null || y === null ? null : 0;
      };
    }
    return left;
  }

  private and(): SqlExpression {
    let left = this.not();
    while (this.word('and')) {
      const [a, b] = [left, this.not()];
      left = (look) => {
        const x = truth(a(look));
        if (x === false) return 0;
        const y = truth(b(look));
        return y === false ? 0 : x === null || y === null ? null : 1;
      };
    }
    return left;
  }

  private not(): SqlExpression {
    if (!this.word('not')) return this.relation();
    const inner = this.not();
    return (look) => {
      const value = truth(inner(look));
      return value === null ? null : bit(!value);
    };
  }

  private relation(): SqlExpression {
    const left = this.sum();
    const op = this.op('=', '==', '<>', '!=', '<', '<=', '>', '>=');
    if (op) {
      const right = this.sum();
      return (look) => compare(op, left(look), right(look));
    }
    if (this.word('is')) {
      const negated = this.word('not');
      const right = this.sum();
      return (look) => bit((left(look) === right(look)) !== negated);
    }
    if (this.word('isnull')) return (look) => bit(left(look) === null);
    if (this.word('notnull')) return (look) => bit(left(look) !== null);
    const negated = this.word('not');
    const test = this.membership(left);
    if (!test) {
      if (negated) throw new Unsupported();
      return left;
    }
    return negated
      ? (look) => {
          const value = truth(test(look));
          return value === null ? null : bit(!value);
        }
      : test;
  }

  private membership(left: SqlExpression): SqlExpression | undefined {
    if (this.word('in')) {
      this.need('(');
      const items = this.list2();
      return (look) => {
        const value = left(look);
        if (value === null) return null;
        const all = items.map((item) => item(look));
        return all.some((item) => item !== null && order(item, value) === 0) ? 1 : all.includes(null) ? null : 0;
      };
    }
    if (this.word('between')) {
      const low = this.sum();
      if (!this.word('and')) throw new Unsupported();
      const high = this.sum();
      return (look) => {
        const value = left(look);
        const [a, b] = [truth(compare('>=', value, low(look))), truth(compare('<=', value, high(look)))];
        return a === false || b === false ? 0 : a === null || b === null ? null : 1;
      };
    }
    if (this.word('like', 'glob')) {
      const right = this.sum();
      return (look) => {
        const [a, b] = [left(look), right(look)];
        return a === null || b === null ? null : bit(like(String(a), String(b)));
      };
    }
    return undefined;
  }

  /** Expressions up to the closing bracket, which is taken. */
  private list2(): SqlExpression[] {
    const out: SqlExpression[] = [];
    if (this.op(')')) return out;
    do out.push(this.or());
    while (this.op(','));
    this.need(')');
    return out;
  }

  private sum(): SqlExpression {
    let left = this.product();
    for (let op = this.op('+', '-', '||'); op; op = this.op('+', '-', '||')) {
      const [a, b, by] = [left, this.product(), op];
      left = (look) => arithmetic(by, a(look), b(look));
    }
    return left;
  }

  private product(): SqlExpression {
    let left = this.unary();
    for (let op = this.op('*', '/', '%'); op; op = this.op('*', '/', '%')) {
      const [a, b, by] = [left, this.unary(), op];
      left = (look) => arithmetic(by, a(look), b(look));
    }
    return left;
  }

  private unary(): SqlExpression {
    if (this.op('-')) {
      const inner = this.unary();
      return (look) => arithmetic('-', 0, inner(look));
    }
    if (this.op('+')) return this.unary();
    if (this.op('(')) {
      const inner = this.or();
      this.need(')');
      return inner;
    }
    const token = this.list[this.at++];
    if (!token) throw new Unsupported();
    if (token.kind === 'text') return () => token.text;
    if (token.kind === 'number') return () => Number(token.text);
    if (token.kind === 'param') return (look) => look(':', token.text) ?? null;
    if (token.kind === 'name') return this.named(token.text);
    throw new Unsupported();
  }

  private named(name: string): SqlExpression {
    const word = name.toLowerCase();
    if (word === 'null') return () => null;
    if (word === 'true' || word === 'false') return () => bit(word === 'true');
    if (['case', 'select', 'exists', 'cast'].includes(word)) throw new Unsupported();
    if (this.op('(')) {
      const apply = FUNCTIONS[word];
      if (!apply) throw new Unsupported();
      const args = this.list2();
      return (look) => apply(args.map((arg) => arg(look)));
    }
    if (!this.op('.')) return (look) => look('', name) ?? null;
    const col = this.list[this.at++];
    if (col?.kind !== 'name') throw new Unsupported();
    return (look) => look(name, col.text) ?? null;
  }
}

const known = new Map<string, SqlExpression | null>();

/** Compiles a condition; undefined when it uses what this evaluator does not know. */
export const compileSql = (sql: string): SqlExpression | undefined => {
  const found = known.get(sql);
  if (found !== undefined) return found ?? undefined;
  let made: SqlExpression | null = null;
  try {
    made = new Parser(tokens(sql)).whole();
  } catch {
    // SQLite itself has the last word when the state is built; here an unknown form only means no repair.
  }
  if (known.size > 5_000) known.clear();
  known.set(sql, made);
  return made ?? undefined;
};

/** A CHECK holds unless it is false (null passes, as in SQL). */
export const holdsCheck = (expression: SqlExpression, row: Readonly<Record<string, SqlValue>>): boolean =>
  truth(expression((_of, name) => row[name])) !== false;
/** A WHERE selects only what is true. */
export const selects = (expression: SqlExpression, look: Lookup): boolean => truth(expression(look)) === true;
