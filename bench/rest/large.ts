/** A document of our own with as many operations as wanted: references, enums, nested objects, paging, errors. Same size, same bytes. */
const HEADS = 'north south river harbor market field stone garden winter summer copper silver'.split(' ');
const NOUNS = 'order invoice parcel ticket device contract shipment account booking report batch sensor'.split(' ');

const nameOf = (i: number): string => {
  const head = HEADS[i % HEADS.length] as string;
  const noun = NOUNS[Math.floor(i / HEADS.length) % NOUNS.length] as string;
  return `${head}_${noun}`;
};

const pascal = (name: string): string => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
const json = (schema: unknown): unknown => ({ 'application/json': { schema } });
const ref = (name: string): unknown => ({ $ref: `#/components/schemas/${name}` });

const schemasOf = (i: number, count: number): Record<string, unknown> => {
  const name = nameOf(i);
  const other = nameOf((i * 7 + 3) % count);
  const writable = {
    name: { type: 'string', maxLength: 80, example: `${name.replace('_', ' ')} A4` },
    description: { type: 'string', maxLength: 400 },
    kind: { type: 'string', enum: ['plain', 'express', 'bulk'], default: 'plain' },
    amount: { type: 'number', minimum: 0, maximum: 100000 },
    quantity: { type: 'integer', minimum: 0, maximum: 500 },
    due_date: { type: 'string', format: 'date' },
    is_urgent: { type: 'boolean' },
    email: { type: 'string', format: 'email' },
    address: ref('Address'),
    tags: { type: 'array', items: { type: 'string', maxLength: 30 }, maxItems: 10 },
    ...(other === name ? {} : { [`${other}_id`]: { type: 'string', description: `The ${other} it belongs to` } }),
  };
  return {
    [`${pascal(name)}Input`]: { type: 'object', required: ['name', 'kind'], properties: writable },
    [pascal(name)]: {
      type: 'object',
      required: ['id', 'name', 'kind', 'status', 'created_at'],
      properties: {
        id: { type: 'string', readOnly: true, example: `${name.slice(0, 3)}_4tGh29` },
        ...writable,
        status: { type: 'string', enum: ['draft', 'open', 'closed', 'cancelled'], readOnly: true },
        created_at: { type: 'string', format: 'date-time', readOnly: true },
      },
    },
    [`${pascal(name)}Page`]: {
      type: 'object',
      required: ['data', 'total'],
      properties: { data: { type: 'array', items: ref(pascal(name)) }, total: { type: 'integer' } },
    },
  };
};

const answers = (status: string, schema?: unknown): unknown => ({
  [status]: { description: 'As asked', ...(schema === undefined ? {} : { content: json(schema) }) },
  '404': { $ref: '#/components/responses/Problem' },
  default: { $ref: '#/components/responses/Problem' },
});

const pathsOf = (i: number): Record<string, unknown> => {
  const name = nameOf(i);
  const type = pascal(name);
  const base = `/${name}s`;
  const parameters = [{ name: `${name}_id`, in: 'path', required: true, schema: { type: 'string' } }];
  const body = { required: true, content: json(ref(`${type}Input`)) };
  const about = (verb: string): Record<string, unknown> => ({ operationId: `${verb}${type}`, tags: [name] });
  const query = [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
    { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
    { name: 'status', in: 'query', schema: { type: 'string', enum: ['draft', 'open', 'closed', 'cancelled'] } },
  ];
  const item = `${base}/{${name}_id}`;
  return {
    [base]: {
      get: { ...about('list'), parameters: query, responses: answers('200', ref(`${type}Page`)) },
      post: { ...about('create'), requestBody: body, responses: answers('201', ref(type)) },
    },
    [item]: {
      parameters,
      get: { ...about('get'), responses: answers('200', ref(type)) },
      put: { ...about('replace'), requestBody: body, responses: answers('200', ref(type)) },
      patch: {
        ...about('update'),
        requestBody: { content: json(ref(`${type}Input`)) },
        responses: answers('200', ref(type)),
      },
      delete: { ...about('delete'), responses: answers('204') },
    },
    [`${item}/close`]: { parameters, post: { ...about('close'), responses: answers('200', ref(type)) } },
    [`${item}/cancel`]: { parameters, post: { ...about('cancel'), responses: answers('200', ref(type)) } },
  };
};

export const OPERATIONS_EACH = 8;
/** A path that lists. */
export const FIRST = `/${nameOf(0)}s`;

/** OpenAPI 3.0.3 as JSON, eight operations a resource; at most 144 resources. */
export const largeDocument = (resources: number): string => {
  const all = Array.from({ length: resources }, (_, i) => i);
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Warehouse of everything', version: '1' },
    paths: Object.assign({}, ...all.map(pathsOf)),
    components: {
      responses: { Problem: { description: 'What went wrong', content: json(ref('Problem')) } },
      schemas: {
        Problem: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
        Address: {
          type: 'object',
          properties: {
            street: { type: 'string' },
            city: { type: 'string' },
            postcode: { type: 'string' },
            country: { type: 'string', minLength: 2, maxLength: 2 },
          },
        },
        ...Object.assign({}, ...all.map((i) => schemasOf(i, resources))),
      },
    },
  });
};
