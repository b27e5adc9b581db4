/** Endpoints that refuse, wait, or cannot do what others can. */
import { afterAll, expect, it } from 'vitest';
import { authorScripted, domainOf, engine, lenientCertify } from './fixture.js';
import { type Asked, good, type Said, type Script, TABLES } from './scripted.js';

afterAll(() => engine.close());
const quick = { certify: lenientCertify };

const refusing =
  (refuses: (asked: Asked) => Said | undefined): Script =>
  (asked) =>
    refuses(asked) ?? good(asked);

const bad = (status: number, message: string): Said => ({ status, body: { error: { message } } });

it('asks for a schema, then for JSON, then in words, as the endpoint can', async () => {
  const script = refusing(({ body }) =>
    body.response_format ? bad(400, 'response_format is not supported') : undefined,
  );
  const { report, asked } = await authorScripted(script, quick);
  expect(report.outcome).toBe('certified');
  expect(asked.map(({ body }) => body.response_format?.type ?? 'text').slice(0, 4)).toEqual([
    'json_schema',
    'json_object',
    'text',
    'text',
  ]);
});

it('calls the limit by the name that the endpoint knows', async () => {
  const script = refusing(({ body }) =>
    'max_tokens' in body ? bad(400, "Use 'max_completion_tokens' instead of 'max_tokens'.") : undefined,
  );
  const { report, asked } = await authorScripted(script, quick);
  expect(report.outcome).toBe('certified');
  expect(asked[1]?.body).toMatchObject({
    max_completion_tokens: expect.any(Number),
    response_format: { type: 'json_schema' },
  });
});

it.each([
  ['429', (): Said => ({ status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after-ms': '1' } })],
  ['500', (): Said => bad(500, 'oops')],
  ['a timeout', (): Said => ({ hang: true })],
])('goes on after %s', async (_, fails) => {
  let left = 2;
  const script = refusing(({ part }) => (part === 'tables of lending' && left-- > 0 ? fails() : undefined));
  const { report } = await authorScripted(script, quick);
  expect(report.outcome).toBe('certified');
  expect(report.ended).toBeUndefined();
});

it('an endpoint that goes away ends it with what is sound', async () => {
  const script = refusing(({ part }) => (part === 'tables of lending' ? bad(503, 'gone') : undefined));
  const authored = await authorScripted(script, quick);
  expect(authored.report.ended).toMatchObject({ code: 'endpoint_down' });
  expect(domainOf(authored)).toEqual(['membership']);
});

it.each([
  [429, 'endpoint_busy'],
  [503, 'endpoint_down'],
  [401, 'endpoint_rejected'],
  [404, 'endpoint_rejected'],
])('an endpoint that never answers is said as such: %i', async (status, code) => {
  await expect(authorScripted(() => bad(status, 'no'), quick)).rejects.toMatchObject({ code });
});

it('a conversation that does not fit is begun anew without the old answer', async () => {
  const script: Script = (asked) => {
    if (asked.part !== 'tables of lending') return good(asked);
    if (asked.nth === 0) return '{"tables": []}';
    return asked.body.messages.length > 2 ? bad(400, 'maximum context length is 10 tokens') : good(asked);
  };
  const { report } = await authorScripted(script, quick);
  expect(report.outcome).toBe('certified');
});

it('an answer cut off at its limit keeps what is whole, and is asked for the rest in fewer words', async () => {
  const script: Script = (asked) => {
    if (asked.part !== 'tables of lending' || asked.nth > 0) return good(asked);
    const content = JSON.stringify(TABLES.lending).slice(0, 300);
    return { status: 200, body: { choices: [{ message: { content }, finish_reason: 'length' }] } };
  };
  const { report, asked } = await authorScripted(script, quick);
  expect(report.outcome).toBe('certified');
  expect(asked.find(({ part, nth }) => part === 'tables of lending' && nth === 1)?.last).toMatch(
    /cut off at the token limit/,
  );
});
