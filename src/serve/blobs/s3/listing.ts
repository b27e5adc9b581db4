/**
 * One page of ListObjectsV2, believed only when it is whole: s3mini reads what it can of a page that was cut off, or of another
 * document, as a shorter list, and who collects garbage or looks for a savepoint must not take that for the truth.
 */
export interface Page {
  keys: string[];
  /** Continues after this page; absent at the end. */
  next?: string;
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plain = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

const only = (xml: string, name: string): string | undefined => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

/** Undefined where this is not a whole page. */
export const pageOf = (xml: string): Page | undefined => {
  if (!/^\s*(?:<\?xml[^>]*\?>)?\s*<ListBucketResult[\s>]/.test(xml) || !/<\/ListBucketResult>\s*$/.test(xml)) return;
  const entries = xml.split('<Contents>').slice(1);
  const keys = entries.map((entry) => only(entry.split('</Contents>')[0] ?? '', 'Key'));
  // What follows the entries, or comes before them, depends on the maker of the store.
  const rest = xml.replace(/<Contents>[\s\S]*?<\/Contents>/g, '');
  const truncated = only(rest, 'IsTruncated');
  const count = only(rest, 'KeyCount');
  const next = only(rest, 'NextContinuationToken');
  if (keys.some((key) => key === undefined) || (count !== undefined && Number(count) !== keys.length)) return;
  if (truncated !== 'true' && truncated !== 'false') return;
  if (truncated === 'true' && !next) return;
  return {
    keys: keys.map((key) => plain(key as string)),
    ...(truncated === 'true' ? { next: plain(next as string) } : {}),
  };
};
