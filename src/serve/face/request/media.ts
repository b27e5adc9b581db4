/** Which of a document's media types a content type means. */
import type { HttpMedia } from '../../../document/http.js';
import type { Node } from '../../../document/node.js';

/** Lower case, without parameters: `application/json`. */
export const bareType = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase();

export const parameterOf = (type: string, name: string): string | undefined => {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(type);
  return found?.[1] ?? found?.[2];
};

export const isJsonType = (bare: string): boolean => /^[\w.+-]+\/(json|[\w.+-]+\+json|json-[\w.-]+|x-json)$/.test(bare);
export const isXmlType = (bare: string): boolean => /(\/|\+)xml$/.test(bare);
export const FORM = 'application/x-www-form-urlencoded';
export const MULTIPART = 'multipart/form-data';

const isPattern = (declared: string, bare: string): boolean =>
  declared === '*/*' || declared === '*' || (declared.endsWith('/*') && bare.startsWith(declared.slice(0, -1)));

/** Bytes or text in name, an object by its schema: the document named the wrong type, and its clients send JSON. */
const isMeantAsJson = ({ type, schema }: HttpMedia, takesObject: (schema: Node) => boolean): boolean =>
  /^(application\/(octet-stream|text)|text\/plain)$/.test(bareType(type)) &&
  schema !== undefined &&
  takesObject(schema);

/** Exact, else one JSON for another, else a range. XML is never taken: it is not read. */
export const mediaFor = (
  media: readonly HttpMedia[],
  sent: string,
  takesObject: (schema: Node) => boolean,
): HttpMedia | undefined => {
  const bare = bareType(sent);
  if (isXmlType(bare)) return undefined;
  return (
    media.find((one) => bareType(one.type) === bare) ??
    (isJsonType(bare) ? media.find((one) => isJsonType(bareType(one.type))) : undefined) ??
    media.find((one) => isPattern(bareType(one.type), bare)) ??
    (isJsonType(bare) ? media.find((one) => isMeantAsJson(one, takesObject)) : undefined)
  );
};

/** What a body without a content type is taken for: JSON where it looks so, else the first that is taken. */
export const guessed = (media: readonly HttpMedia[], text: string): HttpMedia | undefined => {
  const readable = media.filter((one) => !isXmlType(bareType(one.type)));
  const json = readable.find((one) => isJsonType(bareType(one.type)) || bareType(one.type).includes('*'));
  if (json && /^\s*[[{"\d\-tfn]/.test(text)) return json;
  return readable.find((one) => bareType(one.type) === FORM) ?? readable[0];
};
