/** How somebody outside names a record: by its label or its number, never by an id. */
import type { Table } from '../../artifacts/table.js';
import { sayLabel } from '../../tasks/ground/say.js';
import { quoted } from '../../tasks/words/grammar.js';
import { nounOf } from '../../tasks/words/names.js';
import { isSayable } from '../../tasks/words/sayable.js';
import type { Row } from '../../world/state/types.js';

const NUMBER = /(^|_)(no|number|code|ref|sku)$/;

/** `dispute DP-1016`, `repository billing-core`, `Declan Hickey`; undefined where nothing names it. */
export const thingWords = (spec: Table, row: Row): string | undefined => {
  const noun = nounOf(spec);
  const { label } = spec;
  const said = label !== undefined && isSayable(label, row[label]) ? sayLabel(spec, row) : undefined;
  if (said && isPerson(spec)) return said;
  const number = Object.keys(spec.cols).find(
    (col) => spec.cols[col]?.auto === 'number' && NUMBER.test(col) && isSayable(col, row[col]),
  );
  if (number) return `${noun} ${String(row[number])}`;
  return said && label ? `${noun} ${quoted(said, label)}` : undefined;
};

/** Rows that go by the name of somebody who can be written to. */
export const isPerson = ({ label, cols }: Table): boolean =>
  label !== undefined && /name$/.test(label) && Object.keys(cols).some((col) => /^(work_)?email$/.test(col));
