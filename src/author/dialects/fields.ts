/** Where a dialect shows each column and takes each argument: dotted surface paths, unique and never one inside another. */
import type { Naming } from '../../artifacts/surface.js';
import type { Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { plural } from '../../kit/words.js';
import { styled } from '../../world/surface/naming.js';
import { referent } from './ids.js';
import type { Dialect } from './schema.js';
import { coded, titled } from './spell.js';
import { nameFor, nounFor, type Wording } from './wording.js';

/** Paths already taken in one object: a path may neither repeat nor run through another. */
class Paths {
  private readonly taken: string[] = [];
  /** The first of `wanted` that fits, which is then taken; undefined when none does. */
  claim(wanted: Iterable<string>): string | undefined {
    for (const path of wanted)
      if (
        this.taken.every((other) => path !== other && !path.startsWith(`${other}.`) && !other.startsWith(`${path}.`))
      ) {
        this.taken.push(path);
        return path;
      }
    return undefined;
  }
}

const baseOf = (name: string): string => name.replace(/_(id|ids|no|key|ref)$/, '') || name;

/** Writes one name of the service in the dialect's own spelling. */
export const speller = (dialect: Dialect, naming: Naming): ((name: string) => string) => {
  const { spell } = dialect.naming;
  return spell === 'title' ? titled : spell === 'code' ? coded : (name) => styled(naming, name);
};

const filled = (template: string, table: string, name: string, spell: (name: string) => string): string =>
  template
    .split('.')
    .map((part) => {
      const text = part.replace('{table}', table).replace('{tables}', plural(table)).replace('{base}', baseOf(name));
      return part.startsWith('_') || !part.includes('{') ? text : spell(text);
    })
    .join('.');

/** What the naming of a service needs to know: the dialect, the tables, and the product's own words. */
export interface Named {
  dialect: Dialect;
  tables: Record<string, Table>;
  wording: Wording;
}

/** Path the dialect's id facet asks for a key or a reference column; undefined where it has none. */
const linkPath = ({ dialect, tables, wording }: Named, table: string, col: string): string | undefined => {
  const isKey = col === tables[table]?.key.col;
  const target = isKey ? table : tables[table]?.cols[col]?.fk;
  const template = isKey ? dialect.ids.key : dialect.ids.ref;
  if (target === undefined || template === undefined) return undefined;
  const spell = speller(dialect, dialect.naming.fields);
  return filled(template, nounFor(wording, target), nameFor(wording, table, col), spell);
};

/** Surface path of every column of `table` that is not the plain name in the naming style; a hidden column has none. */
export const columnFields = (named: Named, name: string): Record<string, string> => {
  const { dialect, tables, wording } = named;
  const table = tables[name] as Table;
  const spell = speller(dialect, dialect.naming.fields);
  const paths = new Paths();
  const fields: Record<string, string> = {};
  // A column of the service's own goes before a link that would take its name, unless the style's key is firm.
  const rank = (col: string): number => {
    if (linkPath(named, name, col) === undefined) return 1;
    return dialect.ids.firm && col === table.key.col ? 0 : 2;
  };
  for (const col of Object.keys(table.cols).sort((a, b) => rank(a) - rank(b))) {
    if (table.cols[col]?.hidden) continue;
    const word = nameFor(wording, name, col);
    const plain = styled(dialect.naming.fields, word);
    const own = spell(word);
    const link = linkPath(named, name, col);
    const spare = (): string[] => [spell(`display_${col}`), ...[2, 3, 4, 5, 6].map((n) => `${own}${n}`), col];
    const path = paths.claim(link ? [link, own, plain] : [own, plain]) ?? paths.claim(spare());
    if (path !== undefined && path !== styled(dialect.naming.fields, col)) fields[col] = path;
  }
  return fields;
};

/** What the naming of arguments needs besides: where the columns stand (`columnFields`). */
export interface Shown extends Named {
  columns: Record<string, Record<string, string>>;
}

/** Whether the column that an argument speaks of got the path its link asked for, so that the argument may be called alike. */
const linked = (shown: Shown, table: string, col: string): boolean => {
  const wanted = linkPath(shown, table, col);
  return wanted === undefined || shown.columns[table]?.[col] === wanted;
};

/** What the product calls an argument: as its column (and how it compares with it), or after the noun whose key it takes. */
const argWord = ({ wording }: Named, table: string, name: string, arg: Arg, target: string | undefined): string => {
  const { col } = arg;
  if (col !== undefined && name.startsWith(`${col}_`)) return nameFor(wording, table, col) + name.slice(col.length);
  const word = nameFor(wording, table, name);
  return word === name && target && name === `${target}_id` ? `${nounFor(wording, target)}_id` : word;
};

const RANGE = ['gte', 'lte', 'gt', 'lt'] as const;
type Range = (typeof RANGE)[number];
const isRange = (op: string | undefined): op is Range => RANGE.includes(op as Range);

/** Surface paths wanted for a filter, best first. */
const filterPaths = (
  dialect: Dialect,
  name: string,
  arg: Arg,
  col: string,
  spell: (name: string) => string,
): string[] => {
  const { ranges, filters, eq } = dialect.naming;
  const inside = (path: string): string => (filters ? `${filters}.${path}` : path);
  // An amount that is an object of its own would be a fourth level under an operator.
  const isDeep = dialect.money === 'object' && arg.type === 'money';
  const nests = 'nested' in ranges && !isDeep;
  if (isRange(arg.op)) {
    const word = 'nested' in ranges ? ranges.nested[arg.op] : ranges.flat[arg.op];
    const short = col.replace(/_(on|at|date)$/, '');
    const join = (stem: string): string =>
      dialect.naming.spell === 'code' ? spell(stem) + word : spell(`${stem}_${word}`);
    const flat = [inside(join(short)), inside(join(col))];
    return nests ? [inside(`${spell(col)}.${spell(word)}`), ...flat] : flat;
  }
  const plain = inside(spell(name));
  const named = inside(`${spell(name)}.${arg.op ?? 'eq'}`);
  // Beside nested ranges an equality has no room of its own, so it names its operator too.
  if (isDeep) return [plain];
  return eq ? [named, plain] : nests ? [plain, named] : [plain];
};

/** Surface path of every argument of a tool that is not its plain name in the naming style. */
export const argFields = (shown: Shown, table: string, args: Record<string, Arg>): Record<string, string> => {
  const { dialect, tables, wording } = shown;
  const spell = speller(dialect, dialect.naming.args);
  const paths = new Paths();
  const fields: Record<string, string> = {};
  const { paging } = dialect.envelope;
  // Operators nested under a column need the column's own filter out of their way, so ranges choose first.
  const order = Object.keys(args).sort((a, b) => Number(isRange(args[b]?.op)) - Number(isRange(args[a]?.op)));
  for (const name of order) {
    const arg = args[name] as Arg;
    const wanted: string[] = [];
    const target = arg.ref ?? referent(tables, table, arg.col);
    const asked =
      arg.role === 'key' ? dialect.ids.keyArg : target && /_id$/.test(name) ? dialect.ids.refArg : undefined;
    const template = asked && linked(shown, table, arg.col ?? name) ? asked : undefined;
    // An argument named after a column is called as the column is shown.
    const twin = arg.role === 'key' || isRange(arg.op) ? undefined : shown.columns[table]?.[name];
    const word = argWord(shown, table, name, arg, target);
    const plain = twin !== undefined && !twin.includes('.') ? twin : spell(word);
    const spelled = template ? filled(template, nounFor(wording, target ?? table), word, spell) : plain;
    if (arg.role === 'limit' && paging.limit) wanted.push(paging.limit);
    if (['offset', 'page', 'cursor'].includes(arg.role) && paging.at) wanted.push(paging.at);
    if (arg.role === 'filter') {
      const col = nameFor(wording, table, arg.col ?? name);
      const own =
        template && !isRange(arg.op) ? [filterPaths(dialect, spelled, arg, col, (text) => text)[0] as string] : [];
      wanted.push(...own, ...filterPaths(dialect, word, arg, col, isRange(arg.op) ? spell : () => plain));
    }
    if (arg.role === 'set' && dialect.naming.sets) wanted.push(`${dialect.naming.sets}.${spelled}`);
    wanted.push(spelled, spell(word), spell(name), styled(dialect.naming.args, name));
    wanted.push(...[2, 3, 4].map((n) => `${spell(word)}${n}`));
    const path = paths.claim(wanted);
    if (path !== undefined && path !== styled(dialect.naming.args, name)) fields[name] = path;
  }
  return fields;
};
