/** Column names and storage from a CREATE TABLE statement, in the order that records store them. */

export interface Column {
  name: string;
  /** An INTEGER PRIMARY KEY: stored as null, its value is the rowid. */
  isRowid: boolean;
  /** False for a virtual generated column, which has no place in the record. */
  isStored: boolean;
}

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[(),]|[^\s]/g;
const TABLE_CONSTRAINT = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);
const AFTER_TYPE = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'NOT',
  'NULL',
  'UNIQUE',
  'CHECK',
  'DEFAULT',
  'COLLATE',
  'REFERENCES',
  'GENERATED',
  'AS',
]);

const unquoted = (token: string): string => {
  const first = token.charAt(0);
  if (first === '[') return token.slice(1, -1);
  if (first === '"' || first === '`' || first === "'") return token.slice(1, -1).replaceAll(first + first, first);
  return token;
};

/** The comma-separated parts between the outermost parentheses; nested parentheses stay flat tokens. */
const definitions = (sql: string): { parts: string[][]; tail: string[] } => {
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !token.startsWith('--') && !token.startsWith('/*'));
  const parts: string[][] = [];
  let part: string[] = [];
  let depth = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string;
    if (token === ')' && --depth === 0) return { parts: [...parts, part], tail: tokens.slice(i + 1) };
    if (depth === 1 && token === ',') {
      parts.push(part);
      part = [];
    } else if (depth > 0) part.push(token);
    if (token === '(') depth++;
  }
  return { parts, tail: [] };
};

const upper = (token: string | undefined): string => token?.toUpperCase() ?? '';

/** The tokens of `part` that stand outside any parentheses, in upper case. */
const outer = (part: readonly string[]): string[] => {
  let depth = 0;
  return part.map(upper).filter((token) => {
    if (token === ')') depth--;
    const keep = depth === 0 && token !== ')';
    if (token === '(') depth++;
    return keep;
  });
};

/** Undefined for a table without rowids, which has another kind of tree. `key` is the primary key of one column. */
export const columnsOf = (sql: string): { columns: Column[]; key: string | undefined } | undefined => {
  const { parts, tail } = definitions(sql);
  if (tail.some((token, i) => upper(token) === 'WITHOUT' && upper(tail[i + 1]) === 'ROWID')) return undefined;
  const columns: Column[] = [];
  const integers = new Set<Column>();
  let key: Column | undefined;
  for (const part of parts) {
    const [first = '', ...rest] = part;
    const words = outer(rest);
    if (TABLE_CONSTRAINT.has(upper(first))) {
      const at = part.findIndex((token, i) => upper(token) === 'PRIMARY' && upper(part[i + 1]) === 'KEY');
      if (at < 0 || part[at + 4] !== ')') continue;
      const name = unquoted(part[at + 3] ?? '').toLowerCase();
      key = columns.find((column) => column.name.toLowerCase() === name);
      if (key && integers.has(key)) key.isRowid = true;
      continue;
    }
    const typeEnd = words.findIndex((word) => AFTER_TYPE.has(word));
    const type = typeEnd < 0 ? words : words.slice(0, typeEnd);
    const column: Column = {
      name: unquoted(first),
      isRowid: false,
      isStored: !words.includes('AS') || words.includes('STORED'),
    };
    columns.push(column);
    if (type.length === 1 && unquoted(type[0] as string) === 'INTEGER') integers.add(column);
    const at = words.indexOf('PRIMARY');
    if (at < 0) continue;
    key = column;
    column.isRowid = integers.has(column) && words[at + 2] !== 'DESC';
  }
  return { columns, key: key?.name };
};
