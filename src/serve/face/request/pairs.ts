/** Name and value pairs of a query, a form or a cookie header, in the order sent. Nothing in them is an error: clients are sloppy. */

export interface Pair {
  name: string;
  /** As sent, for styles that split before they decode. */
  raw: string;
  text: string;
}

/** Percent-decoding as browsers do it: what makes no sense stays as it is. */
export const formDecoded = (raw: string): string => {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return new URLSearchParams(`x=${raw.replaceAll('&', '%26')}`).get('x') ?? raw;
  }
};

/** `undefined` where there are more than `most`. */
export const pairsOf = (text: string, most: number): Pair[] | undefined => {
  const pairs: Pair[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('&', from);
    const end = next < 0 ? text.length : next;
    if (end > from) {
      if (pairs.length === most) return undefined;
      const part = text.slice(from, end);
      const at = part.indexOf('=');
      const raw = at < 0 ? '' : part.slice(at + 1);
      pairs.push({ name: formDecoded(at < 0 ? part : part.slice(0, at)), raw, text: formDecoded(raw) });
    }
    from = end + 1;
  }
  return pairs;
};

/** Cookies by pair. Lists that are exploded come as `a=1&a=2` inside one cookie. */
export const cookiesOf = (header: string | undefined): Pair[] =>
  (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.includes('='))
    .map((part) => {
      const at = part.indexOf('=');
      const raw = part.slice(at + 1).replace(/^"(.*)"$/, '$1');
      let text = raw;
      try {
        text = decodeURIComponent(raw);
      } catch {
        // A plain percent sign is common in cookies.
      }
      return { name: part.slice(0, at).trim(), raw, text };
    });
