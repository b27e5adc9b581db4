/** The one model that a rollout may use, as either dialect lists models. */
import type { Dialect } from './asked.js';

/** Undefined for a path below /v1/models that names another model. */
export const modelList = (path: string, model: string, dialect: Dialect): object | undefined => {
  const own =
    dialect === 'openai'
      ? { id: model, object: 'model', created: 0, owned_by: 'treadle' }
      : { type: 'model', id: model, display_name: model, created_at: '1970-01-01T00:00:00Z' };
  if (path === '/v1/models' || path === '/v1/models/')
    return dialect === 'openai'
      ? { object: 'list', data: [own] }
      : { data: [own], has_more: false, first_id: model, last_id: model };
  const asked = path.slice('/v1/models/'.length);
  return asked === model || asked === encodeURIComponent(model) ? own : undefined;
};
