/** The shape of an id, by which ids of the same kind are recognised that no specification lists. */
import type { Mention } from './answer-text.js';

const TOKEN = /[\p{L}\p{N}]+(?:[-_/.@#][\p{L}\p{N}]+)*/gu;

/** `INV-0042` and `INV-7` share `inv-`; `cus_9aB3` has `cus_`; a bare number or hash has its length and alphabet. */
const shapeOf = (id: string): string | undefined => {
  const prefixed = /^(\p{L}+[-_/#.])(.*\d.*)$/u.exec(id) ?? /^(\p{L}+)(\d+)$/u.exec(id);
  if (prefixed) return `${(prefixed[1] as string).toLowerCase()}*`;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return 'uuid';
  if (/^\d{4,}$/.test(id)) return `digits:${id.length}`;
  if (/^[\p{L}\p{N}]{8,}$/u.test(id) && /\d/.test(id) && /\p{L}/u.test(id)) return `mixed:${id.length}`;
  return undefined;
};

/** Tokens of `text` outside `claimed` that look like one of `ids`; `prefixedOnly` trusts prefixes alone, not bare digits. */
export const shapedLike = (
  text: string,
  ids: readonly string[],
  claimed: readonly Mention[],
  prefixedOnly = false,
): string[] => {
  const shapes = new Set(
    ids.map(shapeOf).filter((shape) => shape !== undefined && (!prefixedOnly || shape.endsWith('*'))),
  );
  if (shapes.size === 0) return [];
  return [...text.matchAll(TOKEN)]
    .filter((match) => !claimed.some((span) => span.start < match.index + match[0].length && match.index < span.end))
    .map((match) => match[0])
    .filter((token) => shapes.has(shapeOf(token) ?? ''));
};
