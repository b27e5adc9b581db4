/** Prose documentation as plain text: Markdown and HTML without markup, scripts, links and hidden characters. */

/** Characters of a document that are looked at. */
const MOST_RAW = 2_000_000;

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '',
  reg: '',
};

const entity = (whole: string, name: string): string => {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' ';
};

const isHtml = (text: string): boolean =>
  /<!doctype html|<html[\s>]|<body[\s>]/i.test(text.slice(0, 5000)) ||
  (text.match(/<\/(p|div|li|td|h[1-6])>/gi)?.length ?? 0) > 3;

/** Elements whose content no reader sees. */
const UNSEEN = /<(script|style|template|noscript|svg|iframe|object|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

const fromHtml = (html: string): string =>
  html
    .replace(/<h([1-6])\b[^<>]*>/gi, (_, level: string) => `\n\n${'#'.repeat(Number(level))} `)
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(/<\/(td|th)\s*>/gi, ' | ')
    .replace(/<\/?(p|div|br|tr|table|ul|ol|section|article|pre|h[1-6])\b[^<>]*>/gi, '\n')
    .replace(/<[a-z/!?][^<>]*>/gi, '');

const fromMarkdown = (text: string): string =>
  text
    .replace(/!\[([^\]\n]{0,300})\]\([^()\n]{0,2000}\)/g, '$1')
    .replace(/\[([^\]\n]{1,300})\]\([^()\n]{0,2000}\)/g, '$1')
    .replace(/^\s*\[[^\]\n]{1,200}\]:\s.*$/gm, '');

/** Format, bidi and control characters, tags characters: what a reader would not see. */
const HIDDEN = /[\p{Cf}\p{Co}\p{Cn}\u{e0000}-\u{e007f}]|(?![\n\t])\p{Cc}/gu;

/** Halves of a pair. */
export const LONE = /\p{Cs}/gu;

/** The text of a document; the same for the same document. */
export const plainText = (document: string): string => {
  const raw = document
    .slice(0, MOST_RAW)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(UNSEEN, ' ');
  const text = isHtml(raw) ? fromHtml(raw) : fromMarkdown(raw).replace(/<\/?[a-z][^<>]{0,500}>/gi, '');
  return text
    .replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,8});/gi, entity)
    .replace(LONE, '')
    .normalize('NFKC')
    .replace(HIDDEN, '')
    .replace(/https?:\/\/\S{1,2000}/gi, '')
    .replace(/\S{200,}/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

/** At most `most` characters; of a longer text the start of every section, so that none is left out wholly. */
export const excerpt = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const sections = text.split(/\n(?=#{1,6} )/);
  const share = Math.max(120, Math.floor(most / sections.length) - 6);
  const spare = sections.reduce((sum, section) => sum + Math.max(0, share - section.length), 0);
  const long = sections.filter((section) => section.length > share).length || 1;
  const each = share + Math.floor(spare / long);
  return sections
    .map((section) => (section.length > each ? `${section.slice(0, each)} ...` : section))
    .join('\n')
    .slice(0, most);
};
