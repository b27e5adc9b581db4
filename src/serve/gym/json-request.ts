/** Reads the JSON body of a request, or answers why not. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isJsonBody, readBody } from '../http/body.js';
import { hasBody } from '../http/reply.js';
import { hazardOf } from '../mcp/hazards.js';
import { refuseWith, sendProblem } from './problem.js';

export type Parsed = { value: unknown } | { fault: string };

/** JSON that may get further in; empty text is an empty object. */
export const parseJson = (text: string): Parsed => {
  if (text === '') return { value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'This is not JSON' };
  }
  const hazard = hazardOf(value);
  return hazard === undefined ? { value } : { fault: hazard };
};

export interface JsonReader {
  /** Resolves with the value, or with undefined once the request was answered; never settles when the client is gone. */
  read(
    request: IncomingMessage,
    response: ServerResponse,
    bytes: number,
    headers?: OutgoingHttpHeaders,
  ): Promise<{ value: unknown } | undefined>;
}

/** At most `pendingBytes` of bodies are read at once, counted by what each may hold. */
export const jsonReader = (pendingBytes: number): JsonReader => {
  let pending = 0;
  return {
    read: (request, response, bytes, headers) =>
      new Promise((resolve) => {
        const no = (status: number, code: string, message: string, extra?: OutgoingHttpHeaders): void => {
          const problem = { status, code, message, headers: extra };
          if (request.complete) sendProblem(response, problem, headers);
          else refuseWith(request, response, problem, headers);
          resolve(undefined);
        };
        if (hasBody(request) && !isJsonBody(request.headers))
          return no(415, 'not_json', 'The body must be application/json, not compressed');
        const announced = Number(request.headers['content-length'] ?? bytes);
        const cost = Math.min(bytes, announced);
        if (pending + cost > pendingBytes) return no(503, 'busy', 'Too many requests at once', { 'retry-after': '1' });
        pending += cost;
        let isReading = true;
        const release = (): void => {
          if (isReading) pending -= cost;
          isReading = false;
        };
        request.once('close', release);
        readBody(request, bytes, (body) => {
          release();
          if ('fault' in body) {
            if (body.fault === 'too_large') return no(413, 'too_large', `A body has at most ${bytes} bytes here`);
            return no(400, 'not_utf8', 'The body is not UTF-8');
          }
          const parsed = parseJson(body.text);
          if ('fault' in parsed) return no(400, 'bad_json', parsed.fault);
          resolve(parsed);
        });
      }),
  };
};
