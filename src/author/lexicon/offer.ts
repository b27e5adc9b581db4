/** The arguments a verb may take: the entry's own where the author is free, those of the document where it is not. */
import type { ColumnType } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { lexicon } from './load.js';
import type { Offered } from './scope.js';

const TYPES: Record<string, ColumnType> = {
  text: 'text',
  int: 'int',
  number: 'number',
  money: 'money',
  bool: 'bool',
  date: 'date',
  datetime: 'datetime',
  file: 'text',
  map: 'json',
};

const words = (text: string): string => text.replaceAll('_', ' ');

const SAYS: Record<string, string> = {
  reason: 'Why.',
  note: 'A note to keep with it.',
  until: 'Until when.',
  notify: 'Whether to tell the people concerned.',
  amount: 'How much.',
  quantity: 'How many.',
};

/** One line of an entry's `args`: `id(person)!`, `money = left`, `enum(a, b) = a`. Undefined for what no argument can hold. */
const parseArg = (name: string, line: string): Omit<Offered, 'name'> | undefined => {
  const [, spec = '', bang, , fallback] = /^(\w+(?:\([^)]*\))?)(!)?(\s*=\s*(.+))?$/.exec(line) ?? [];
  const [, head = '', inner = ''] = /^(\w+)(?:\(([^)]*)\))?$/.exec(spec) ?? [];
  const arg: Arg = { type: 'text', role: 'input', description: SAYS[name] ?? `${words(name.replace(/_ids?$/, ''))}.` };
  if (bang) arg.required = true;
  if (head === 'ids') Object.assign(arg, { type: 'list', items: 'text' });
  else if (head === 'enum') {
    if (!inner.startsWith('the ')) arg.enum = inner.split(/,\s*/);
  } else if (head !== 'id') {
    const type = TYPES[head];
    if (type === undefined) return undefined;
    arg.type = type;
  }
  return fallback === undefined ? { arg } : { arg, fallback: fallback.replace(/^'(.*)'$/, '$1') };
};

/** A document's argument that stands for the entry's `name`: the same, one of the role's names, or one that ends in it. */
const counterpart = (name: string, body: Record<string, Arg>): string | undefined => {
  const forms = [name, ...(lexicon().roles[name] ?? []), name.replace(/_id$/, '')];
  return forms.find((form) => body[form] !== undefined) ?? Object.keys(body).find((key) => key.endsWith(`_${name}`));
};

/** Arguments on offer by the entry's names. With `body`, only what the document takes is offered, as it calls and types it. */
export const offeredArgs = (
  lines: Record<string, string>,
  body: Record<string, Arg> | undefined,
): Map<string, Offered> => {
  const out = new Map<string, Offered>();
  for (const [name, line] of Object.entries(lines)) {
    const parsed = parseArg(name, line);
    if (parsed === undefined) continue;
    if (body === undefined) {
      out.set(name, { name, ...parsed });
      continue;
    }
    const own = counterpart(name, body);
    if (own === undefined) continue;
    const arg: Arg = { ...(body[own] as Arg), role: 'input' };
    out.set(name, parsed.fallback === undefined ? { name: own, arg } : { name: own, arg, fallback: parsed.fallback });
  }
  return out;
};
