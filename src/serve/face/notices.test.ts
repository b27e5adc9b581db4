/** Notices of a scenario beside a REST answer. */
import { expect, it } from 'vitest';
import { CallLog } from './call-log.js';
import type { Caller, Callers } from './callers.js';
import { RestFace } from './face.js';
import { NOTICES_HEADER } from './notices.js';

const json = {
  content: { 'application/json': { schema: { type: 'object', properties: { id: { type: 'string' } } } } },
};
const root = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: { '/notes/{id}': { get: { responses: { 200: { description: '', ...json } } } } },
};
const binding = {
  operation: 'GET /notes/{id}',
  tool: 'get_note',
  args: [],
  answer: { kind: 'row' as const, path: [] },
  tier: 'spec' as const,
};

it('stand in a header as JSON of plain characters, of failures too', async () => {
  const text = 'Die Büros schließen heute.\n„Bitte“ 🙂';
  const notices = [{ event: 'e1', to: 'user', text, at: 0 }];
  const answerWith = async (outcome: object) => {
    const host = { call: () => ({ notices, entry: {}, result: {}, ...outcome }) };
    const caller = { live: { clock: 0 }, host, log: new CallLog(), kept: new Map() } as unknown as Caller;
    const callers = { of: () => caller } as unknown as Callers;
    const face = { bindings: [binding], unbound: [] };
    const rest = new RestFace({ root, version: '3.0.3', face, seed: '1', callers });
    const request = {
      method: 'GET',
      path: '/notes/7',
      query: '',
      headers: {},
      body: undefined,
      origin: 'http://x.test',
    };
    return rest.answer(request);
  };
  for (const outcome of [
    { ok: true, result: { id: '7' } },
    { ok: false, error: { code: 'not_found', status: 404 } },
  ]) {
    const said = String((await answerWith(outcome)).headers[NOTICES_HEADER]);
    expect(said).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(said)).toEqual([{ from: 'user', text }]);
  }
  expect((await answerWith({ ok: true, notices: undefined })).headers).not.toHaveProperty(NOTICES_HEADER);
});
