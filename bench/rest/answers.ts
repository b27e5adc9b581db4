/** Whether an answer is one that the document has: its status, its media type, its body, its required headers. */
import type { SchemaChecks } from '../../src/document/checks.js';
import type { HttpAnswer, HttpMedia, HttpOperation } from '../../src/document/http.js';

export interface Seen {
  status: number;
  /** Of the body, without parameters. */
  media: string;
  text: string;
  /** Read, where the body is JSON. */
  value?: unknown;
  headers: Headers;
}

export const seenOf = async (response: Response): Promise<Seen> => {
  const text = await response.text();
  const media = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const seen: Seen = { status: response.status, media, text, headers: response.headers };
  if (!/json/.test(media) || text === '') return seen;
  try {
    return { ...seen, value: JSON.parse(text) as unknown };
  } catch {
    return seen;
  }
};

export const answerFor = ({ answers }: HttpOperation, status: number): HttpAnswer | undefined =>
  answers.find((one) => one.status === String(status)) ??
  answers.find((one) => one.status === `${Math.floor(status / 100)}XX`) ??
  answers.find((one) => one.status === 'default');

const isOf = (range: string, type: string): boolean => {
  const plain = (range.split(';')[0] ?? '').trim().toLowerCase();
  if (plain === type || plain === '*/*' || plain === '*') return true;
  return plain.endsWith('/*') && type.startsWith(plain.slice(0, -1));
};

export const mediaOf = (answer: HttpAnswer, type: string): HttpMedia | undefined =>
  answer.media.find((one) => isOf(one.type, type));

/** Why it is not; undefined where it is. The part before the colon is the kind. */
export const faultOf = (operation: HttpOperation, seen: Seen, checks: SchemaChecks): string | undefined => {
  const answer = answerFor(operation, seen.status);
  if (answer === undefined) return `status not documented: ${seen.status} ${seen.text.slice(0, 160)}`;
  for (const { name, required } of answer.headers)
    if (required && !seen.headers.has(name)) return `required header missing: ${name}`;
  if (answer.media.length === 0 || seen.status === 204) return undefined;
  if (seen.text === '' && answer.media.every(({ schema }) => schema === undefined)) return undefined;
  const media = mediaOf(answer, seen.media);
  if (media === undefined)
    return `media type not documented: ${seen.media || 'none'} for ${answer.media.map(({ type }) => type).join(', ')}`;
  if (media.schema === undefined) return undefined;
  const isJson = /json/.test(seen.media);
  if (isJson && seen.value === undefined && seen.text !== 'null') return `not JSON: ${seen.text.slice(0, 80)}`;
  // Other types (XML, CSV, files) have no schema that their bytes could be held against.
  if (!isJson) return undefined;
  const [fault] = checks.check(media.schema, seen.value ?? null, 'response');
  return fault && `body does not fit: ${fault.keyword} at ${fault.at.replace(/\/\d+/g, '/*')}: ${fault.message}`;
};
