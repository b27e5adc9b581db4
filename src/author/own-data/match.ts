/** Which table and which column a user's words mean: by name, by surface, by a few words that mean the same. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import { nearNames } from '../../kit/near.js';
import { plural, singular, snake } from '../../kit/words.js';

export interface FoundTable {
  spec: ServiceSpec;
  name: string;
  table: Table;
}

const SAME_TABLES = [
  'customer client account',
  'employee staff person people worker',
  'product item article',
  'supplier vendor',
];
const SAME_COLUMNS = [
  'email e_mail mail email_address',
  'phone telephone tel phone_number mobile',
  'name full_name display_name title',
  'price unit_price cost',
  'quantity qty count amount',
  'postal_code zip zip_code postcode',
  'birth_date date_of_birth dob',
  'created_at created date_created created_on',
  'updated_at updated modified modified_at',
  'status state',
  'description details text',
  'note notes comment remarks',
];

const sameAs = (groups: readonly string[], name: string): string[] =>
  groups.map((group) => group.split(' ')).find((group) => group.includes(name)) ?? [];

const namesOfTable = (name: string, { noun, plural: many }: Table): Set<string> =>
  new Set([name, plural(name), snake(noun), plural(snake(noun)), ...(many ? [snake(many)] : [])]);

/** The table of `given` (`orders`, `billing.order`); otherwise why there is none, with near names. */
export const findTable = (given: string, specs: readonly ServiceSpec[]): FoundTable | string => {
  const [service, rest] = given.includes('.')
    ? [given.slice(0, given.indexOf('.')), given.slice(given.indexOf('.') + 1)]
    : [undefined, given];
  const wanted = snake(rest);
  const all = specs
    .filter(({ id }) => service === undefined || id === service)
    .flatMap((spec) => Object.entries(spec.tables).map(([name, table]): FoundTable => ({ spec, name, table })));
  const exact = all.filter(({ name, table }) => namesOfTable(name, table).has(wanted));
  const like = sameAs(SAME_TABLES, singular(wanted));
  const found =
    exact.length > 0
      ? exact
      : all.filter(({ name, table }) => like.some((word) => namesOfTable(name, table).has(word)));
  const named = found.filter(({ name }) => name === wanted || plural(name) === wanted);
  const [one, two] = named.length === 1 ? named : found;
  if (one && !two) return one;
  if (one)
    return `several services have a table ${given}: ${found.map(({ spec, name }) => `${spec.id}.${name}`).join(', ')}`;
  const near = nearNames(
    given,
    all.map(({ spec, name }) => (service === undefined ? name : `${spec.id}.${name}`)),
  );
  return `no table is called ${given}${near.length > 0 ? `; there are ${near.join(', ')}` : ''}`;
};

/** The column of `given`; otherwise why there is none. */
export const findColumn = (given: string, { name, table }: FoundTable): { col: string } | string => {
  const wanted = snake(given);
  const names = Object.keys(table.cols);
  const shown = (col: string): string => snake(table.cols[col]?.field ?? col);
  const noun = snake(table.noun);
  const readings: ((col: string) => boolean)[] = [
    (col) => col === wanted,
    (col) => table.cols[col]?.field === given,
    (col) => shown(col) === wanted,
    (col) => [noun, name].some((own) => `${own}_${col}` === wanted || `${own}_${wanted}` === col),
    (col) => table.cols[col]?.fk !== undefined && [`${wanted}_id`, `${wanted}_key`].includes(col),
    (col) => col === table.key.col && ['id', 'key', `${noun}_id`, `${name}_id`].includes(wanted),
    (col) => table.cols[col]?.fk === undefined && sameAs(SAME_COLUMNS, wanted).includes(col),
  ];
  for (const reads of readings) {
    const [one, two] = names.filter(reads);
    if (one !== undefined && two === undefined) return { col: one };
    if (one !== undefined) return `${given} may be ${one} or ${two}`;
  }
  return `${name} has no column ${given}; there are ${nearNames(given, names).join(', ')}`;
};
