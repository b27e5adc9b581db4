/** Conditions of a find: each becomes a piece of SQL for the arguments that are there. */
import type { Condition } from '../../../artifacts/step.js';
import { quoted } from '../../ddl.js';
import type { SqlValue } from '../../state/types.js';
import { storedIn } from '../convert.js';
import type { Bound, Run } from '../run.js';
import { defect, type Scope, stepColumn } from '../scope.js';
import { compileValue } from '../value.js';

export interface Piece {
  sql: string;
  params: SqlValue[];
}
export interface CompiledCondition {
  /** Undefined when the condition falls away. */
  piece(run: Run): Piece | undefined;
  /** Its fullest form, for the derived contract. */
  full: string;
}

/** A text in which LIKE sees no wildcards. */
export const escapedLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

const COMPARE = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=', ne: 'IS NOT' } as const;
const NEVER: Piece = { sql: '0', params: [] };
/** Lists are padded to these lengths, so that few statements serve all. */
const LENGTHS = [1, 2, 4, 8, 16, 32, 64, 128];

const list = (id: string, values: readonly SqlValue[]): Piece => {
  if (values.length === 0) return NEVER;
  const length = LENGTHS.find((size) => size >= values.length) ?? values.length;
  const params = Array.from({ length }, (_, i) => values[Math.min(i, values.length - 1)] as SqlValue);
  return { sql: `${id} IN (${params.map(() => '?').join(', ')})`, params };
};

const asText = (value: Bound): string => (value === null || value === undefined ? '' : String(value));

export const compileCondition = (scope: Scope, table: string, condition: Condition): CompiledCondition => {
  const { col, op, optional } = condition;
  const column = stepColumn(scope, table, col);
  const id = quoted(col);
  if (op === 'is_null' || op === 'not_null') {
    const sql = `${id} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
    const piece: Piece = { sql, params: [] };
    const gate = condition.value === undefined ? undefined : compileValue(scope, condition.value);
    return { piece: (run) => (optional && gate && !gate.get(run) ? undefined : piece), full: sql };
  }
  if (condition.value === undefined) throw defect(scope, 'bad_steps', `the condition on ${table}.${col} has no value`);
  const value = compileValue(scope, condition.value);
  const stored = storedIn(column);
  const make = (found: Bound): Piece => {
    switch (op) {
      case 'in': {
        const items = Array.isArray(found) ? found : [found];
        return list(id, items.map(stored));
      }
      case 'contains':
      case 'prefix': {
        const like = `${op === 'contains' ? '%' : ''}${escapedLike(asText(found))}%`;
        return { sql: `${id} LIKE ? ESCAPE '\\'`, params: [like] };
      }
      default:
        return { sql: `${id} ${COMPARE[op]} ?`, params: [stored(found)] };
    }
  };
  const piece = (run: Run): Piece | undefined => {
    const found = value.get(run);
    if (found === undefined || found === null) return optional ? undefined : op === 'ne' ? make(null) : NEVER;
    return make(found);
  };
  return { piece, full: make('0').sql };
};

/** At most this many words of a query count. */
const MOST_WORDS = 10;
const ASCII = /^[ -~]*$/;
const cases = (word: string): string[] => {
  const lower = word.toLowerCase();
  const [first = ''] = lower;
  return [...new Set([word, lower, word.toUpperCase(), first.toUpperCase() + lower.slice(first.length)])];
};

/** All words, each in any of the columns. SQLite folds only ASCII case, so other words are looked for in their usual cases. */
export const textPiece = (cols: readonly string[], text: string): Piece | undefined => {
  const words = text.normalize('NFC').split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return undefined;
  const params: SqlValue[] = [];
  const sql = words.map((word) => {
    const forms = ASCII.test(word) ? [word] : cases(word);
    const tests = cols.flatMap((col) =>
      forms.map((form) => {
        params.push(`%${escapedLike(form)}%`);
        return `${quoted(col)} LIKE ? ESCAPE '\\'`;
      }),
    );
    return `(${tests.join(' OR ')})`;
  });
  return { sql: sql.join(' AND '), params };
};
