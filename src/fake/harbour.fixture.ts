/**
 * An API of procedures, as products of the kind describe theirs: one level of names, a token among the parameters, rows named by what
 * answers wrap them in, alternatives under `items` without a type, and calls that act on what another place lists.
 */
const text = { type: 'string' };
const token = (where: string) => ({
  name: 'token',
  in: where,
  required: true,
  schema: text,
  description: 'Authentication token.',
});
const asked = (name: string, schema: object = text) => ({ name, in: 'query', schema, description: `${name}` });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  200: {
    description: 'Done',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['ok', ...required],
          properties: { ok: { type: 'boolean', enum: [true] }, ...properties },
        },
      },
    },
  },
  default: {
    description: 'Not done',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ok', 'error'],
          properties: {
            ok: { type: 'boolean', enum: [false] },
            error: { ...text, enum: ['berth_not_found', 'call_not_found', 'invalid_arguments', 'not_authed'] },
          },
        },
      },
    },
  },
});
const post = (id: string, fields: Record<string, object>, required: string[], responses: object) => ({
  post: {
    operationId: id,
    parameters: [token('header')],
    requestBody: {
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', required, properties: fields } } },
    },
    responses,
  },
});
const get = (id: string, parameters: object[], responses: object) => ({
  get: { operationId: id, parameters: [token('query'), ...parameters], responses },
});

const berthNamed = { ...text, description: 'ID of the berth.' };
const stamp = { ...text, description: 'Moment that tells calls apart.' };

export const HARBOUR = {
  openapi: '3.0.3',
  info: { title: 'Harbour', version: '1' },
  paths: {
    '/health.test': get('health_test', [], answer({ harbour: text })),
    '/moorings.create': post('moorings_create', { name: text }, ['name'], answer({ berth: ref('Mooring') })),
    '/moorings.info': get('moorings_info', [asked('berth')], answer({ berth: ref('Mooring') })),
    '/moorings.list': get(
      'moorings_list',
      [asked('limit', { type: 'integer' }), asked('cursor')],
      answer({ berths: { type: 'array', items: ref('Mooring') }, next_cursor: text }, ['berths']),
    ),
    '/moorings.setNote': post(
      'moorings_setNote',
      { berth: berthNamed, note: text },
      ['berth'],
      answer({ berth: ref('Mooring') }),
    ),
    '/moorings.close': post('moorings_close', { berth: berthNamed }, ['berth'], answer({})),
    '/moorings.log': get(
      'moorings_log',
      [asked('berth'), asked('limit', { type: 'integer' })],
      answer({ calls: { type: 'array', items: ref('Call') }, has_more: { type: 'boolean' } }),
    ),
    '/radio.sendCall': post(
      'radio_sendCall',
      { berth: berthNamed, words: text },
      ['berth'],
      answer({ berth: text, stamp: ref('Stamp'), call: ref('Call') }),
    ),
    '/radio.update': post(
      'radio_update',
      { berth: berthNamed, stamp, words: text },
      ['berth', 'stamp'],
      answer({
        berth: text,
        stamp: text,
        words: text,
        call: { type: 'object', required: ['words'], properties: { words: text } },
      }),
    ),
    '/radio.delete': post(
      'radio_delete',
      { berth: berthNamed, stamp: { type: 'number', description: 'Moment of the call.' } },
      ['stamp'],
      answer({ berth: text, stamp: ref('Stamp') }),
    ),
    '/pilots.list': get('pilots_list', [], answer({ pilots: { type: 'array', items: ref('Pilot') } })),
    '/pilots.info': get('pilots_info', [asked('pilot')], answer({ pilot: ref('Pilot') })),
  },
  components: {
    schemas: {
      Stamp: { ...text, pattern: '^\\d{8}\\.\\d{4}$' },
      Note: { type: 'object', required: ['value', 'author'], properties: { value: text, author: text } },
      Mooring: {
        items: {
          anyOf: [
            {
              type: 'object',
              required: ['id', 'name', 'is_closed', 'note'],
              properties: {
                id: { ...text, pattern: '^[BQ][A-Z0-9]{6,}$' },
                name: text,
                is_closed: { type: 'boolean' },
                note: ref('Note'),
                depth: { items: { anyOf: [{ type: 'integer' }, { nullable: true }] } },
              },
            },
            {
              type: 'object',
              required: ['id', 'quay'],
              properties: { id: text, quay: text },
            },
          ],
        },
      },
      Call: {
        type: 'object',
        additionalProperties: false,
        required: ['stamp', 'words', 'kind'],
        properties: { stamp: ref('Stamp'), words: text, kind: text, ship: text, channel: { type: 'integer' } },
      },
      Pilot: {
        type: 'object',
        required: ['id', 'name', 'status'],
        properties: {
          id: text,
          name: text,
          status: { ...text, description: 'Whether the pilot is READY, ABOARD or RESTING.' },
        },
      },
    },
  },
};
