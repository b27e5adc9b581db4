/** A till's API with webhooks and a callback, written for the tests: customers, and invoices that are paid. */

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const body = (name: string) => ({ required: true, content: json(ref(name)) });
const one = (name: string) => ({ description: 'It', content: json(ref(name)) });
const error = { description: 'No', content: json(ref('Problem')) };
const at = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const list = (name: string) => ({
  description: 'Some',
  content: json({ type: 'object', properties: { items: { type: 'array', items: ref(name) } } }),
});
const signed = (...names: string[]) =>
  names.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } }));
const event = (data: object) =>
  json({
    type: 'object',
    required: ['id', 'type', 'created', 'data'],
    properties: { id: { type: 'string' }, type: { type: 'string' }, created: { type: 'integer' }, data },
  });
const taken = { 200: { description: 'Taken' } };

export const TILL = {
  openapi: '3.1.0',
  info: { title: 'Till', version: '1' },
  servers: [{ url: 'https://till.example/v2' }],
  paths: {
    '/customers': {
      get: { operationId: 'listCustomers', responses: { 200: list('Customer') } },
      post: {
        operationId: 'createCustomer',
        requestBody: body('Customer'),
        responses: { 201: one('Customer'), 422: error },
      },
    },
    '/customers/{id}': {
      parameters: [at('id')],
      get: { operationId: 'getCustomer', responses: { 200: one('Customer'), 404: error } },
      patch: {
        operationId: 'updateCustomer',
        requestBody: body('CustomerChange'),
        responses: { 200: one('Customer'), 404: error },
      },
      delete: { operationId: 'deleteCustomer', responses: { 204: { description: 'Gone' }, 404: error } },
    },
    '/invoices': {
      get: { operationId: 'listInvoices', responses: { 200: list('Invoice') } },
      post: {
        operationId: 'createInvoice',
        requestBody: body('Invoice'),
        responses: { 201: one('Invoice'), 422: error },
        callbacks: {
          invoicePaid: {
            '{$request.body#/notify_url}': {
              post: { requestBody: { content: json(ref('Invoice')) }, responses: taken },
            },
          },
        },
      },
    },
    '/invoices/{id}': {
      parameters: [at('id')],
      get: { operationId: 'getInvoice', responses: { 200: one('Invoice'), 404: error } },
    },
    '/invoices/{id}/pay': {
      parameters: [at('id')],
      post: { operationId: 'payInvoice', responses: { 200: one('Invoice'), 404: error, 409: error } },
    },
  },
  webhooks: {
    'customer.created': {
      post: {
        parameters: signed('Stripe-Signature'),
        requestBody: { content: event({ type: 'object', properties: { object: ref('Customer') } }) },
        responses: taken,
      },
    },
    'customer.updated': { post: { requestBody: { content: event(ref('Customer')) }, responses: taken } },
    'customer.deleted': { post: { requestBody: { content: event(ref('Customer')) }, responses: taken } },
    invoice_paid: {
      post: {
        parameters: signed('webhook-id', 'webhook-timestamp', 'webhook-signature'),
        requestBody: { content: json(ref('Invoice')) },
        responses: taken,
      },
    },
  },
  components: {
    schemas: {
      Customer: {
        type: 'object',
        required: ['id', 'name', 'email', 'created_at'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', minLength: 1 },
          email: { type: 'string', format: 'email' },
          is_vip: { type: 'boolean', default: false },
          address: { type: 'object', properties: { city: { type: 'string' }, street: { type: 'string' } } },
          created_at: { type: 'string', format: 'date-time', readOnly: true },
        },
      },
      CustomerChange: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, email: { type: 'string', format: 'email' } },
      },
      Invoice: {
        type: 'object',
        required: ['id', 'customer_id', 'amount', 'status'],
        properties: {
          id: { type: 'string', readOnly: true },
          customer_id: { type: 'string' },
          amount: { type: 'integer', minimum: 1 },
          status: { type: 'string', enum: ['open', 'paid', 'void'], readOnly: true },
          notify_url: { type: 'string', format: 'uri' },
          created_at: { type: 'string', format: 'date-time', readOnly: true },
          paid_at: { type: ['string', 'null'], format: 'date-time', readOnly: true },
        },
      },
      Problem: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message'],
            properties: { code: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};
