/** A help desk's API, written for the tests: customers, tickets with a life cycle, comments on tickets, and an operation nothing grounds. */

const id = { type: 'string', readOnly: true };
const error = {
  description: 'It cannot be done',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};
const page = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50, default: 10 } },
  { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
];
const json = (schema: object) => ({ 'application/json': { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const at = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const list = (name: string) =>
  json({
    type: 'object',
    required: ['data', 'total'],
    properties: { data: { type: 'array', items: ref(name) }, total: { type: 'integer' } },
  });
const one = (name: string, description = 'It', headers?: object) => ({
  description,
  content: json(ref(name)),
  ...(headers ? { headers } : {}),
});
const etag = { ETag: { schema: { type: 'string' } } };

export const DESK = {
  openapi: '3.0.3',
  info: { title: 'Help desk', version: '2.1' },
  servers: [{ url: 'https://desk.example/v1' }],
  security: [{ key: [] }],
  paths: {
    '/customers': {
      get: {
        operationId: 'listCustomers',
        parameters: [...page, { name: 'email', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'Some', content: list('Customer') }, 400: error },
      },
      post: {
        operationId: 'createCustomer',
        requestBody: { required: true, content: json(ref('Customer')) },
        responses: { 201: one('Customer'), 422: error },
      },
    },
    '/customers/{customerId}': {
      parameters: [at('customerId')],
      get: { operationId: 'getCustomer', responses: { 200: one('Customer', 'It', etag), 404: error } },
      patch: {
        operationId: 'updateCustomer',
        parameters: [{ name: 'If-Match', in: 'header', schema: { type: 'string' } }],
        requestBody: { required: true, content: json(ref('CustomerChange')) },
        responses: { 200: one('Customer'), 404: error, 412: error, 422: error },
      },
      delete: { operationId: 'deleteCustomer', responses: { 204: { description: 'Gone' }, 404: error } },
    },
    '/tickets': {
      get: {
        operationId: 'listTickets',
        parameters: [
          ...page,
          { name: 'status', in: 'query', schema: { type: 'string', enum: ['open', 'pending', 'closed'] } },
          { name: 'customer_id', in: 'query', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'Some', content: list('Ticket') } },
      },
      post: {
        operationId: 'createTicket',
        requestBody: { required: true, content: json(ref('Ticket')) },
        responses: { 201: one('Ticket'), 422: error },
      },
    },
    '/tickets/{ticketId}': {
      parameters: [at('ticketId')],
      get: { operationId: 'getTicket', responses: { 200: one('Ticket'), 404: error } },
      put: {
        operationId: 'updateTicket',
        requestBody: { required: true, content: json(ref('Ticket')) },
        responses: { 200: one('Ticket'), 404: error, 422: error },
      },
      delete: { operationId: 'deleteTicket', responses: { 204: { description: 'Gone' }, 404: error } },
    },
    '/tickets/{ticketId}/close': {
      parameters: [at('ticketId')],
      post: { operationId: 'closeTicket', responses: { 200: one('Ticket'), 404: error, 409: error } },
    },
    '/tickets/{ticketId}/comments': {
      parameters: [at('ticketId')],
      get: {
        operationId: 'listComments',
        parameters: page,
        responses: { 200: { description: 'Some', content: list('Comment') } },
      },
      post: {
        operationId: 'createComment',
        requestBody: { required: true, content: json(ref('Comment')) },
        responses: { 201: one('Comment'), 404: error, 422: error },
      },
    },
    '/quotes/estimate': {
      post: {
        operationId: 'estimate',
        requestBody: { content: json({ type: 'object', properties: { hours: { type: 'number' } } }) },
        responses: {
          200: {
            description: 'What it would cost',
            content: json({
              type: 'object',
              required: ['cents', 'days'],
              properties: {
                cents: { type: 'integer', minimum: 1, maximum: 9_900 },
                days: { type: 'integer', minimum: 1 },
              },
            }),
          },
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Desk-Key' } },
    schemas: {
      Customer: {
        type: 'object',
        required: ['id', 'name', 'email', 'created_at'],
        properties: {
          id,
          name: { type: 'string', minLength: 1, maxLength: 80 },
          email: { type: 'string', format: 'email' },
          phone: { type: 'string', nullable: true },
          address: {
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' }, country: { type: 'string' } },
          },
          tags: { type: 'array', items: { type: 'string' } },
          created_at: { type: 'string', format: 'date-time', readOnly: true },
        },
      },
      CustomerChange: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 80 },
          email: { type: 'string', format: 'email' },
          phone: { type: 'string', nullable: true },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      Ticket: {
        type: 'object',
        required: ['id', 'customer_id', 'subject', 'status'],
        properties: {
          id,
          customer_id: { type: 'string' },
          subject: { type: 'string', minLength: 1, maxLength: 120 },
          priority: { type: 'string', enum: ['low', 'normal', 'urgent'], default: 'normal' },
          status: { type: 'string', enum: ['open', 'pending', 'closed'], readOnly: true },
          created_at: { type: 'string', format: 'date-time', readOnly: true },
          closed_at: { type: 'string', format: 'date-time', nullable: true, readOnly: true },
        },
      },
      Comment: {
        type: 'object',
        required: ['id', 'ticket_id', 'body'],
        properties: {
          id,
          ticket_id: { type: 'string', readOnly: true },
          body: { type: 'string', minLength: 1 },
          internal: { type: 'boolean', default: false },
        },
      },
      Error: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message'],
            properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } },
          },
        },
      },
    },
  },
};

export const DESK_TEXT = JSON.stringify(DESK);
