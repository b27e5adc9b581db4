/** The JSON value in what a model said: alone, in a fence, among prose, or with the small slips that small models make. */

/** Characters that are looked at; a longer answer is no part of a world. */
export const LONGEST_ANSWER = 120_000;

/** From the opening bracket at `from` to its end; the end of the text when it is never closed. */
const span = (text: string, from: number): { end: number; open: string[]; inText: boolean } => {
  const open: string[] = [];
  let inText = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{' || char === '[') open.push(char === '{' ? '}' : ']');
    else if (char === '}' || char === ']') {
      if (open.at(-1) !== char) return { end: at, open, inText };
      open.pop();
      if (open.length === 0) return { end: at + 1, open, inText };
    }
  }
  return { end: text.length, open, inText };
};

/** Comments and trailing commas outside of texts are taken out, raw line ends inside of them escaped. */
const tidied = (json: string): string => {
  let out = '';
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at] as string;
    if (inText) {
      if (char === '\\') {
        out += char + (json[++at] ?? '');
        continue;
      }
      if (char === '"') inText = false;
      out += char === '\n' ? '\\n' : char === '\t' ? '\\t' : char === '\r' ? '' : char;
      continue;
    }
    if (char === '/' && json[at + 1] === '/') {
      const end = json.indexOf('\n', at);
      at = end === -1 ? json.length : end;
      continue;
    }
    if (char === '"') inText = true;
    if (char === ',' && /^,\s*[}\]]/.test(json.slice(at, at + 200))) continue;
    out += char;
  }
  return out;
};

const parsed = (text: string): { value: unknown } | undefined => {
  for (const candidate of [text, tidied(text)]) {
    try {
      return { value: JSON.parse(candidate) as unknown };
    } catch {
      // The next reading may do.
    }
  }
  return undefined;
};

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Closes what was cut off after its last whole member: `{"a": [1, {"b": 2}, {"c` gives `{"a": [1, {"b": 2}]}`. */
const closed = (text: string): { value: unknown } | undefined => {
  let cut = text;
  for (let tries = 0; tries < 40 && cut.length > 1; tries++) {
    const { open, inText } = span(cut, 0);
    const ends = [...open].reverse().join('');
    const found = inText ? undefined : parsed(`${cut.replace(/[\s,:]+$/, '')}${ends}`);
    if (found) return found;
    const at = Math.max(cut.lastIndexOf(','), cut.lastIndexOf('{'), cut.lastIndexOf('['));
    if (at <= 0) return undefined;
    cut = cut[at] === ',' ? cut.slice(0, at) : cut.slice(0, at + 1);
    if (cut === text) return undefined;
    text = cut;
  }
  return undefined;
};

export type Lenient = { value: unknown; cut: boolean } | { why: string };

/** The largest object in `content`; `cut` when it had to be closed. Says why where there is none. */
export const readLenient = (content: string): Lenient => {
  if (content.length > LONGEST_ANSWER)
    return { why: `the answer has ${content.length} characters; at most ${LONGEST_ANSWER} are read` };
  const text = content.replace(/<think>[\s\S]*?<\/think>/g, '').trim();
  if (text === '') return { why: 'the answer is empty' };
  const whole = parsed(text);
  if (whole && isObject(whole.value)) return { value: whole.value, cut: false };
  let best: { value: unknown; size: number } | undefined;
  let unclosed: number | undefined;
  let at = text.search(/[{[]/);
  for (let tries = 0; at !== -1 && at < text.length && tries < 50; tries++) {
    const { end, open } = span(text, at);
    const found = open.length === 0 ? parsed(text.slice(at, end)) : undefined;
    if (found && isObject(found.value) && end - at > (best?.size ?? 0)) best = { value: found.value, size: end - at };
    if (open.length > 0) unclosed ??= at;
    const next = text.slice(found ? end : at + 1).search(/[{[]/);
    at = next === -1 ? -1 : (found ? end : at + 1) + next;
    if (!found && best) break;
  }
  if (unclosed !== undefined) {
    const found = closed(text.slice(unclosed));
    if (found && isObject(found.value) && Object.keys(found.value as object).length > 0)
      return { value: found.value, cut: true };
  }
  return best ? { value: best.value, cut: false } : { why: 'the answer holds no JSON object' };
};
