/** Names that every room accepts: lower_snake for tables and columns, at most 64 characters for tools, unique without regard to case. */

import { RESERVED_TOOL_NAMES, TOOL_NAME } from '../../artifacts/service.js';
import { snake } from '../../kit/words.js';
import { foldedName } from '../../world/surface/naming.js';

/** Words that expressions cannot use as a name, or that every plain object already has. */
const RESERVED = new Set(
  'as break const constructor continue else false for function if import in let loop namespace null package return true var void while args now me row rows'.split(
    ' ',
  ),
);

/** lower_snake of at most `most` characters; `fallback` when nothing is left of it. */
export const identifier = (text: string, fallback: string, most = 48): string => {
  let name = snake(text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')) || fallback;
  if (!/^[a-z]/.test(name)) name = `n_${name}`;
  if (name.length > most) name = name.slice(0, most).replace(/_+$/, '');
  return RESERVED.has(name) ? `${name}_value` : name;
};

/** `name`, or `name_2`, `name_3` ... so that `taken` does not hold it; the suffix stays within `most`. Adds it to `taken`. */
export const unique = (name: string, taken: Set<string>, most = 63): string => {
  let out = name.slice(0, most);
  for (let n = 2; taken.has(out.toLowerCase()); n++) {
    const suffix = `_${n}`;
    out = `${name.slice(0, most - suffix.length)}${suffix}`;
  }
  taken.add(out.toLowerCase());
  return out;
};

const READABLE = 48;

/** A tool name from the document's operation id, or the fallback where the id is absent, a path in disguise or too long. */
export const toolName = (operationId: string | undefined, fallback: string, taken: Set<string>): string => {
  const cleaned = (operationId ?? '').replace(/[^A-Za-z0-9_]+/g, '_').replace(/^[_0-9]+|_+$/g, '');
  const usable =
    cleaned.length >= 3 &&
    cleaned.length <= READABLE &&
    !/[{}]|\/.*\/|^(get|post|put|patch|delete)[-_]?\//i.test(operationId ?? '') &&
    /[a-z]/i.test(cleaned);
  const name = usable && TOOL_NAME.test(cleaned) ? cleaned : fallback.slice(0, 64);
  const reserved = (RESERVED_TOOL_NAMES as readonly string[]).includes(name.toLowerCase());
  return unique(reserved ? `${name}_call` : name, taken, 64);
};

export const propertyName: (name: string) => string = foldedName;

/** Dotted surface path of property names. */
export const surfaceField = (path: readonly string[]): string => path.map(propertyName).join('.');
