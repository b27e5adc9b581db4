/** Objects with one set of fields, made in one step: to set fields by name, one after another, costs several times as much. */

/** Makes an object of the values that stand at the places of their names. Values are read at once and not kept. */
export type RowMaker<T> = (values: readonly T[]) => { [name: string]: T };

/** Only such names become code; all others are set one by one. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MOST = 256;
/** Code is made for those of which so many were asked for: it costs as much as a few hundred, and two kilobytes. */
const OFTEN = 100;

const isPlain = (names: readonly string[]): boolean =>
  names.length <= MOST &&
  names.every((name) => PLAIN.test(name) && name !== '__proto__') &&
  new Set(names).size === names.length;

/** Of two equal names the last counts. */
export const rowMaker = <T>(names: readonly string[]): RowMaker<T> => {
  let fast: RowMaker<T> | undefined;
  let made = 0;
  return (values) => {
    if (fast) return fast(values);
    if (++made === OFTEN && isPlain(names)) {
      const fields = names.map((name, i) => `"${name}": values[${i}]`).join(', ');
      fast = new Function('values', `return { ${fields} };`) as RowMaker<T>;
    }
    const row: { [name: string]: T } = {};
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as T;
    return row;
  };
};
