/** A strict reader of the XML that we write: elements, quoted attributes, text, the five entities and character references. */

export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** What XML 1.0 has no way to write. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const TAG = /<(\/?)([a-zA-Z][\w.-]*)((?:\s+[a-zA-Z][\w.-]*="[^"<]*")*)\s*(\/?)>/y;

const decoded = (text: string): string =>
  text.replace(/&(#\d+|#x[0-9a-f]+|\w*);?/g, (whole, name: string) => {
    if (!whole.endsWith(';')) throw new Error(`bare ${whole}`);
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const char = name.startsWith('#') ? String.fromCodePoint(code) : ENTITIES[name];
    if (char === undefined || ILLEGAL.test(char)) throw new Error(`bad entity ${whole}`);
    return char;
  });

/** The root. Throws at the first thing that a parser would refuse. */
export const readXml = (xml: string): Element => {
  if (ILLEGAL.test(xml)) throw new Error('a character that XML cannot hold');
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [top];
  for (let at = 0; at < body.length; ) {
    const current = open.at(-1) as Element;
    if (body[at] !== '<') {
      const next = body.indexOf('<', at);
      const text = body.slice(at, next < 0 ? undefined : next);
      if (text.includes(']]>')) throw new Error(']]> in text');
      current.text += decoded(text);
      at += text.length;
      continue;
    }
    TAG.lastIndex = at;
    const [whole, slash, name = '', rest = '', empty] = TAG.exec(body) ?? [];
    if (whole === undefined) throw new Error(`no tag at ${body.slice(at, at + 40)}`);
    at += whole.length;
    if (slash) {
      if (open.pop()?.name !== name) throw new Error(`unmatched ${whole}`);
      continue;
    }
    const pairs = [...rest.matchAll(/([\w.-]+)="([^"]*)"/g)].map(
      ([, key = '', value = '']) => [key, decoded(value)] as const,
    );
    if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error(`an attribute twice in ${whole}`);
    const element: Element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' };
    current.children.push(element);
    if (!empty) open.push(element);
  }
  const [root] = top.children;
  if (open.length !== 1 || !root || top.children.length > 1 || top.text.trim() !== '') throw new Error('not one root');
  return root;
};
