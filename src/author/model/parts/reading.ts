/** Taking lists, texts and objects out of whatever a model wrote. */

export type Bag = Readonly<Record<string, unknown>>;

export const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MOST = 60;

/** Own property only. */
export const get = (bag: Bag, ...names: readonly string[]): unknown => {
  for (const name of names) if (Object.hasOwn(bag, name)) return bag[name];
  return undefined;
};

/**
 * Objects of a list, or of a map by name (`{"loan": {...}}` becomes `{name: "loan", ...}`); a text becomes `{name: text}`.
 */
export const bags = (value: unknown, nameKey = 'name'): Bag[] => {
  const list = Array.isArray(value)
    ? value.slice(0, MOST)
    : isBag(value)
      ? Object.entries(value)
          .slice(0, MOST)
          .map(([name, item]) => (isBag(item) ? { [nameKey]: name, ...item } : { [nameKey]: name, about: item }))
      : [];
  return list.flatMap((item) => (isBag(item) ? [item] : typeof item === 'string' ? [{ [nameKey]: item }] : []));
};

/** The list under one of the names; the value itself when it is a list; one entry where it looks like one. */
export const entries = (value: unknown, looks: string, ...names: readonly string[]): Bag[] => {
  if (Array.isArray(value)) return bags(value, looks);
  if (!isBag(value)) return [];
  const found = get(value, ...names);
  if (found !== undefined) return bags(found, looks);
  return Object.hasOwn(value, looks) ? [value] : [];
};

/** Texts of a list, or `name: value` of a map, or the text itself. */
export const lines = (value: unknown): string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value))
    return value.slice(0, MOST).flatMap((item) => {
      if (typeof item === 'string') return [item];
      if (!isBag(item)) return [];
      const name = get(item, 'name', 'column', 'col');
      const type = get(item, 'type', 'value');
      return typeof name === 'string' && typeof type === 'string'
        ? [`${name}: ${type}${item.required === true ? ' !' : ''}`]
        : lines(item);
    });
  if (!isBag(value)) return [];
  return Object.entries(value)
    .slice(0, MOST)
    .flatMap(([name, item]) =>
      ['string', 'number', 'boolean'].includes(typeof item) || item === null ? [`${name}: ${String(item)}`] : [],
    );
};
