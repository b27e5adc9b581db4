/** Columns of the catalogue in what the model author's notation can say; the kind of a value goes into the hints. */

export interface PlainColumn {
  text: string;
  kind?: string;
}

export interface Around {
  /** Tables of the same service that are kept. */
  tables: ReadonlySet<string>;
  /** Whether a column of another service is there: `crm.account.account_no`. */
  has(place: string): boolean;
}

const FLAG =
  /^(unique|@|[<>]=-?\d{1,12}(\.\d{1,4})?|len=\d{1,5}|fmt=(email|uri|phone|uuid|hostname|ipv4)|=(-?\d{1,12}(\.\d{1,4})?|true|false|[a-z][a-z0-9_]{0,40}))$/;
const HEAD = /^(text|int|number|bool|date|datetime|money|no|fk|ref|one|emp|empno)(!?)/;

/** The column, or undefined where the notation has no words for it or what it points at is not there. */
export const plainColumn = (text: string, around: Around): PlainColumn | undefined => {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const head = HEAD.exec(first);
  if (!head || rest.includes('hidden')) return undefined;
  const [, kind = '', mark = ''] = head;
  const words = [`${kind}${kind === 'no' ? '' : mark}`];
  if (kind === 'no' && !/^[A-Z][A-Z0-9]{0,5}-?$/.test(rest[0] ?? '')) return undefined;
  if (kind === 'fk' && !around.tables.has(rest[0] ?? '')) return undefined;
  if (kind === 'ref') {
    const place = (rest.shift() ?? '').split('/').find((one) => around.has(one));
    if (place === undefined && mark === '') return undefined;
    // What must be given and points at nobody here is a text of its own.
    if (place === undefined) words[0] = 'text!';
    else words.push(place);
  } else if (kind === 'no' || kind === 'fk' || kind === 'one') words.push(rest.shift() ?? '');
  words.push(...rest.filter((flag) => FLAG.test(flag)));
  const hint = rest.find((flag) => flag.startsWith('seed='))?.slice(5);
  return { text: words.join(' '), ...(hint && kind === 'text' ? { kind: hint } : {}) };
};
