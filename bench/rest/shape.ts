/**
 * How many answers of real documents validate: for every documented success with a JSON body, what is made of nothing (`empty`), of the
 * document's own example (`example`) and where nothing stands behind (`made`); and the error that a missing row gives (`error`).
 */

import { schemaChecks } from '../../src/document/checks.js';
import { httpOperations } from '../../src/document/http.js';
import { parseDocumentText } from '../../src/document/parse.js';
import { refsOf } from '../../src/document/refs.js';
import { elapsedMs } from '../../src/kit/clock.js';
import type { Json } from '../../src/kit/hash.js';
import { type AnswerContext, answererOf } from '../../src/serve/face/answer/answerer.js';
import { isJson } from '../../src/serve/face/answer/media.js';
import { errorOf, successOf } from '../../src/serve/face/answer/status.js';
import type { FaceOperation, FaceResponse } from '../../src/serve/face/types.js';
import { drawn, textOf } from '../documents/directory.js';

type Kind = 'empty' | 'example' | 'made' | 'error';

interface Count {
  fits: number;
  of: number;
}

interface Tally {
  counts: Record<Kind, Count>;
  reasons: Map<string, { n: number; example: string }>;
  thrown: number;
  slowest: { ms: number; at: string };
  largest: { bytes: number; at: string };
}

const MOST_REASONS = 25;
const NOT_FOUND = { status: 404, code: 'not_found', message: 'There is no such row' };

const contextFor = (http: FaceOperation['http']): AnswerContext => ({
  request: {
    method: http.method.toUpperCase(),
    path: http.path.replace(/\{[^}]+\}/g, '7'),
    query: '',
    headers: {},
    body: undefined,
    origin: 'http://127.0.0.1:4010',
  },
  seed: 'bench',
  now: 1_750_000_000,
});

const bodyOf = (response: FaceResponse): Json | undefined =>
  response.body === undefined || !isJson(String(response.headers['content-type']))
    ? undefined
    : (JSON.parse(String(response.body)) as Json);

const tryDocument = (name: string, tally: Tally): void => {
  const { root, version } = parseDocumentText(textOf(name));
  const refs = refsOf(root);
  const checks = schemaChecks(root, version, refs);
  for (const http of httpOperations(root, refs)) {
    const at = `${name} ${http.label}`;
    const answerer = answererOf({ http }, { root, refs, version });
    const ctx = contextFor(http);
    const started = elapsedMs();
    const given = successOf(http);
    // Some documents describe the body of a 204, which has none.
    const media = given.status === 204 ? undefined : given.answer?.media.find(({ type }) => isJson(type));
    const wrong = errorOf(http, 404).answer?.media.find(({ type }) => isJson(type));
    const count = (kind: Kind, schema: Record<string, unknown> | undefined, answer: () => FaceResponse): void => {
      if (schema === undefined) return;
      const { counts, reasons } = tally;
      counts[kind].of++;
      try {
        const response = answer();
        const bytes = String(response.body ?? '').length;
        if (bytes > tally.largest.bytes) tally.largest = { bytes, at };
        const [fault] = checks.check(schema, bodyOf(response), 'response');
        if (fault === undefined) counts[kind].fits++;
        else {
          const why = `${kind} ${fault.keyword}: ${fault.message}`.slice(0, 110);
          reasons.set(why, {
            n: (reasons.get(why)?.n ?? 0) + 1,
            example: reasons.get(why)?.example ?? `${at} ${fault.at}`,
          });
        }
      } catch (thrown) {
        tally.thrown++;
        process.stdout.write(`thrown: ${at}: ${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
      }
    };
    count('empty', media?.schema, () => answerer.success({}, ctx));
    if (media?.example !== undefined)
      count('example', media.schema, () => answerer.success(media.example as Json, ctx));
    count('made', media?.schema, () => answerer.example(ctx));
    count('error', wrong?.schema, () => answerer.failure(NOT_FOUND, ctx));
    const ms = elapsedMs() - started;
    if (ms > tally.slowest.ms) tally.slowest = { ms: Math.round(ms), at };
  }
};

/** `--sample N` documents (200) drawn by `--seed S`. */
export const shape = (args: readonly string[]): Record<string, unknown> => {
  const option = (name: string): string | undefined => {
    const at = args.indexOf(`--${name}`);
    return at === -1 ? undefined : args[at + 1];
  };
  const none = (): Count => ({ fits: 0, of: 0 });
  const tally: Tally = {
    counts: { empty: none(), example: none(), made: none(), error: none() },
    reasons: new Map(),
    thrown: 0,
    slowest: { ms: 0, at: '' },
    largest: { bytes: 0, at: '' },
  };
  const names = drawn(Number(option('sample') ?? 200), option('seed') ?? 'rest');
  for (const name of names) tryDocument(name, tally);
  const ranked = [...tally.reasons].sort((a, b) => b[1].n - a[1].n).slice(0, MOST_REASONS);
  for (const [why, { n, example }] of ranked) process.stdout.write(`${String(n).padStart(6)} ${why} (${example})\n`);
  const shares = Object.entries(tally.counts).map(([kind, { fits, of }]) => [
    kind,
    of === 0 ? null : Number((fits / of).toFixed(4)),
  ]);
  return {
    documents: names.length,
    ...Object.fromEntries(shares),
    counts: tally.counts,
    thrown: tally.thrown,
    slowest: tally.slowest,
    largest: tally.largest,
  };
};
