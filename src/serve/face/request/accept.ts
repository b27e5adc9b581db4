/** Can what a client accepts be answered at all? */
import type { FaceError, FaceOperation } from '../types.js';
import { bareType, isJsonType } from './media.js';

const isRefused = (range: string): boolean => /;\s*q\s*=\s*0(\.0*)?\s*$/i.test(range);

const meets = (range: string, type: string): boolean => {
  if (range === '*/*' || range === '*' || type.includes('*') || range === type) return true;
  if (range.endsWith('/*')) return type.startsWith(range.slice(0, -1));
  return isJsonType(range) && isJsonType(type);
};

/** 406 where the document's answers and the client's `accept` have no type in common; one JSON is taken for another. */
export const notAcceptable = (operation: FaceOperation, accept: string | undefined): FaceError | undefined => {
  if (accept === undefined || accept === '*/*') return undefined;
  const ranges = (accept ?? '')
    .split(',')
    .filter((range) => range.trim() !== '' && !isRefused(range))
    .map(bareType);
  if (ranges.length === 0) return undefined;
  const good = operation.http.answers.filter(({ status }) => /^(2|default)/.test(status));
  const types = [...new Set(good.flatMap(({ media }) => media.map(({ type }) => bareType(type))))];
  if (types.length === 0 || types.some((type) => ranges.some((range) => meets(range, type)))) return undefined;
  return {
    status: 406,
    code: 'not_acceptable',
    message: `Nothing that ${JSON.stringify((accept ?? '').slice(0, 100))} accepts can be answered here: there is ${types.join(', ')}.`,
  };
};
