/** Names in the styles that services use, and the little English that briefs and tool names need. */

const split = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const MOST_KEPT = 20_000;
const LONGEST_KEPT = 80;
const kept = new Map<string, readonly string[]>();

const partsOf = (name: string): readonly string[] => {
  const known = kept.get(name);
  if (known) return known;
  const words = split(name);
  if (kept.size >= MOST_KEPT) kept.clear();
  if (name.length <= LONGEST_KEPT) kept.set(name, words);
  return words;
};

/** `dueDate`, `Due-Date`, `DUE DATE` -> `['due', 'date']` */
export const wordsOf = (name: string): string[] => [...partsOf(name)];

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const snake = (name: string): string => partsOf(name).join('_');
export const kebab = (name: string): string => partsOf(name).join('-');
export const pascal = (name: string): string => partsOf(name).map(capital).join('');
export const camel = (name: string): string => {
  const [first = '', ...rest] = partsOf(name);
  return first + rest.map(capital).join('');
};
export const upperSnake = (name: string): string => snake(name).toUpperCase();
/** `due_date` -> `due date` */
export const spaced = (name: string): string => partsOf(name).join(' ');

const IRREGULAR: Record<string, string> = {
  person: 'people',
  child: 'children',
  series: 'series',
  staff: 'staff',
  equipment: 'equipment',
  news: 'news',
  data: 'data',
  media: 'media',
  information: 'information',
  address: 'addresses',
  analysis: 'analyses',
  index: 'indexes',
  criterion: 'criteria',
  livestock: 'livestock',
  feedback: 'feedback',
  software: 'software',
  inventory: 'inventory',
  stock: 'stock',
  species: 'species',
  sms: 'sms',
  status: 'statuses',
};
const SINGULAR = Object.fromEntries(Object.entries(IRREGULAR).map(([one, many]) => [many, one]));

/** Plural of the last word of a snake_case or spaced noun. */
export const plural = (noun: string): string => {
  const at = Math.max(noun.lastIndexOf('_'), noun.lastIndexOf(' ')) + 1;
  const head = noun.slice(0, at);
  const last = noun.slice(at);
  const known = Object.hasOwn(IRREGULAR, last) ? IRREGULAR[last] : undefined;
  if (known) return head + known;
  if (/[^aeiou]y$/.test(last)) return `${head}${last.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/.test(last)) return `${head}${last}es`;
  return `${head}${last}s`;
};

/** Singular of the last word of a snake_case or spaced noun. */
export const singular = (noun: string): string => {
  const at = Math.max(noun.lastIndexOf('_'), noun.lastIndexOf(' ')) + 1;
  const head = noun.slice(0, at);
  const last = noun.slice(at);
  const known = Object.hasOwn(SINGULAR, last) ? SINGULAR[last] : undefined;
  if (known) return head + known;
  if (last.length > 4 && last.endsWith('ies')) return `${head}${last.slice(0, -3)}y`;
  if (
    /(ses|xes|zes|ches|shes)$/.test(last) &&
    !/(cases|bases|uses|phases|licenses|leases|releases|purchases|expenses|responses|houses|courses|databases|invoices|services|devices|prices|causes|clauses|nurses|horses|premises|sizes|quizes)$/.test(
      last,
    )
  )
    return head + last.slice(0, -2);
  if (last.length > 3 && last.endsWith('s') && !/(ss|us|is)$/.test(last)) return head + last.slice(0, -1);
  return noun;
};

/** `invoice` -> `an invoice` */
export const withArticle = (noun: string): string =>
  /^(?!(uni|use|usa|eu|one))[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
