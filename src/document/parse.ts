/** Text to a plain document tree. Tells apart what is cut off, what is broken and what is something else altogether. */
import { createRequire } from 'node:module';
import { yaml } from '../kit/yaml.js';
import { isNode, type Node } from './node.js';
import { unreadable } from './unreadable.js';

export const DEFAULT_CHARACTERS = 64 * 1024 * 1024;

export interface ParsedDocument {
  root: Node;
  /** As written in the document: `2.0`, `3.0.3`. */
  version: string;
  title: string;
}

const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
};

/** Position a JSON.parse message names; the end where it says so, the start where it names none (short texts). */
const jsonErrorAt = (message: string, text: string): number => {
  const position = /at position (\d+)/.exec(message);
  return position ? Number(position[1]) : /end of JSON/.test(message) ? text.length : 0;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const at = jsonErrorAt(message, text);
    if (at >= text.trimEnd().length || /unterminated/i.test(message))
      throw unreadable('truncated', `The JSON is cut off at line ${lineAt(text, at)} (character ${at})`);
    // Comments and trailing commas are common in hand-kept files, and YAML reads them.
    return parseYaml(text, `The JSON is broken at line ${lineAt(text, at)}: ${message}`);
  }
};

const parseYaml = (text: string, orElse?: string): unknown => {
  const lines = new (yaml().LineCounter)();
  const parsed = yaml().parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    strict: false,
    logLevel: 'silent',
  });
  const error = parsed.errors[0];
  if (error) {
    const { line } = lines.linePos(error.pos[0]);
    if (orElse) throw unreadable('not_openapi', orElse);
    const last = lineAt(text.trimEnd(), text.length);
    if (lines.linePos(error.pos[1]).line >= last || line >= last)
      throw unreadable('truncated', `The YAML is cut off at line ${line}: ${firstLine(error.message)}`);
    throw unreadable('not_openapi', `The YAML is broken at line ${line}: ${firstLine(error.message)}`);
  }
  try {
    return parsed.toJS();
  } catch (thrown) {
    throw unreadable('not_openapi', `The YAML cannot be read: ${firstLine(String(thrown))}`);
  }
};

/** Read when a document of that age comes: it takes a tenth of a second to load. */
const require = createRequire(import.meta.url);
const upgradeFromTwoToThree = (root: Node): unknown =>
  (require('@scalar/openapi-parser') as { upgradeFromTwoToThree(from: Node): unknown }).upgradeFromTwoToThree(root);

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').slice(0, 160);

/** What the text is when it is not OpenAPI, as far as a few marks tell. */
const otherKind = (root: unknown, text: string): string => {
  if (/^\s*<(!doctype html|html)/i.test(text)) return 'This is a web page, not an API document';
  if (/^\s*<\?xml|^\s*<(wsdl:)?definitions/i.test(text)) return 'This is XML (perhaps WSDL), not OpenAPI';
  if (/^\s*#%RAML/.test(text)) return 'This is RAML, not OpenAPI';
  if (!isNode(root)) return 'This is not an object with `openapi` or `swagger` at its top';
  if ('asyncapi' in root) return 'This is AsyncAPI, not OpenAPI';
  if (isNode(root.info) && typeof root.info.schema === 'string' && root.info.schema.includes('postman'))
    return 'This is a Postman collection, not OpenAPI';
  if ('swaggerVersion' in root) return 'This is Swagger 1.x, which is too old';
  if ('discoveryVersion' in root) return 'This is a Google discovery document, not OpenAPI';
  return 'There is no `openapi` or `swagger` field at the top';
};

const upgraded = (root: Node): Node => {
  if (root.swagger === undefined) return root;
  try {
    // Only 2.0 is rewritten: 3.0 and 3.1 are read as they stand, because the step to 3.1 loses properties named `example`.
    return upgradeFromTwoToThree({ ...root, swagger: '2.0' }) as Node;
  } catch (thrown) {
    throw unreadable('not_openapi', `The Swagger 2.0 document cannot be upgraded: ${firstLine(String(thrown))}`);
  }
};

/**
 * Parses JSON or YAML, OpenAPI 2.0 to 3.1, into one tree of the 3.x shape; `$ref`s stay as they are.
 * Throws `truncated`, `too_large` or `not_openapi`.
 */
export const parseDocumentText = (text: string, limit = DEFAULT_CHARACTERS): ParsedDocument => {
  if (text.length > limit)
    throw unreadable('too_large', `The document has ${text.length} characters, more than the limit of ${limit}`);
  const bare = text.replace(/^\uFEFF/, '');
  if (bare.trim() === '') throw unreadable('not_openapi', 'The document is empty');
  if (/^\s*</.test(bare)) throw unreadable('not_openapi', otherKind(undefined, bare));
  const root = /^\s*[{[]/.test(bare) ? parseJson(bare) : parseYaml(bare);
  const declared = isNode(root) ? (root.openapi ?? root.swagger) : undefined;
  if (!isNode(root) || (typeof declared !== 'string' && typeof declared !== 'number'))
    throw unreadable('not_openapi', otherKind(root, bare));
  const version = String(declared);
  if (!/^(2|3)(\.|$)/.test(version)) throw unreadable('not_openapi', `OpenAPI ${version} is not read`, version);
  const info = isNode(root.info) ? root.info : {};
  const title = typeof info.title === 'string' && info.title.trim() ? info.title.trim() : '';
  return { root: upgraded(root), version, title };
};
