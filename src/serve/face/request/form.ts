/** Form bodies, both kinds, to the object that the schema means. */
import type { HttpMedia } from '../../../document/http.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import { coerce, coerceText } from './coerce.js';
import { fileOf, utf8 } from './files.js';
import type { Limits } from './limits.js';
import { bareType, isJsonType } from './media.js';
import { pairsOf } from './pairs.js';
import { grow, type Inner, inner, keysOf, type Tree } from './tree.js';
import { type Forms, formsOf, isOpen, itemForms, propertyForms, takes } from './view.js';

export type Read = { value: Json } | { why: string };

/** A property whose list is in one text: `encoding: {ids: {explode: false}}`. */
const listed = (text: string, name: string, media: HttpMedia, own: Forms, refs: Refs): Json | undefined => {
  const { style, explode } = media.encoding[name] ?? {};
  if (!takes(own, 'array') || (explode ?? (style === undefined || style === 'form')) !== false) return undefined;
  const mark = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
  return text === '' ? [] : text.split(mark).map((item) => coerceText(item, itemForms(own, refs)));
};

const objectOf = (root: Inner, media: HttpMedia, refs: Refs): Json => {
  const forms = formsOf(media.schema, refs);
  return Object.fromEntries(
    [...root.named].map(([name, tree]): [string, Json] => {
      const own = propertyForms(forms, name, refs);
      const list = typeof tree === 'string' ? listed(tree, name, media, own, refs) : undefined;
      return [name, list ?? coerce(tree, own, refs)];
    }),
  );
};

export const urlencoded = (text: string, media: HttpMedia, refs: Refs, limits: Limits): Read => {
  const pairs = pairsOf(text, limits.pairs);
  if (!pairs) return { why: `The form has more than ${limits.pairs} fields` };
  const root = inner();
  for (const { name, text: value } of pairs) if (name !== '') grow(root, name, value);
  return { value: objectOf(root, media, refs) };
};

/** What came with a file name is a file where the schema has bytes or says nothing, and otherwise the text or the JSON in it. */
const partOf = (content: Uint8Array, { type, name }: { type: string; name: string }, forms: Forms): Tree => {
  const file = (): Tree => ({ file: fileOf(content, type || 'application/octet-stream', name) });
  if (isOpen(forms) || forms.some((form) => form.format === 'binary' || form.type === 'file')) return file();
  if (forms.some((form) => form.format === 'byte')) return Buffer.from(content).toString('base64');
  if (!takes(forms, 'string') && !isJsonType(bareType(type))) return file();
  return utf8(content) ?? file();
};

/** Forms of a property, and of its items where it is a list: a part is one of them. */
const partForms = (name: string, media: HttpMedia, refs: Refs): Forms => {
  const own = propertyForms(formsOf(media.schema, refs), keysOf(name)[0] ?? name, refs);
  return [...own, ...itemForms(own, refs)];
};

/** `type` with its boundary. */
export const multipart = async (
  bytes: Uint8Array,
  type: string,
  media: HttpMedia,
  refs: Refs,
  limits: Limits,
): Promise<Read> => {
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    return { why: 'The multipart body cannot be read: its parts or its boundary are broken' };
  }
  const root = inner();
  let fields = 0;
  for (const [name, value] of form) {
    if (++fields > limits.pairs) return { why: `The form has more than ${limits.pairs} fields` };
    if (typeof value === 'string') grow(root, name, value);
    else {
      const content = new Uint8Array(await value.arrayBuffer());
      grow(root, name, partOf(content, value, partForms(name, media, refs)));
    }
  }
  return { value: objectOf(root, media, refs) };
};
