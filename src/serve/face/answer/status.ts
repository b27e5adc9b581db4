/** Which of an operation's documented answers is given: the success that its method means, the error nearest to what happened. */
import type { HttpAnswer, HttpOperation } from '../../../document/http.js';
import type { Flat } from './flat.js';
import type { Shapes } from './scope.js';

export interface Given {
  status: number;
  /** Undefined where the document has no such answer. */
  answer: HttpAnswer | undefined;
}

const codes = (answers: readonly HttpAnswer[], digit: string): HttpAnswer[] =>
  answers.filter(({ status }) => status.startsWith(digit));

const ORDER: Partial<Record<HttpOperation['method'], readonly number[]>> = {
  post: [201, 200, 202, 204, 207],
  delete: [204, 200, 202],
};
const USUAL = [200, 201, 202, 204, 207, 206];

/** A path that goes on after its last parameter names what is done to the row, which makes nothing. */
const isAction = ({ path }: HttpOperation): boolean => /\}\/[^{}]+$/.test(path) || path.endsWith('}');

const orderOf = (operation: HttpOperation, documented: ReadonlyMap<number, HttpAnswer>): readonly number[] => {
  if (operation.method === 'delete' && (documented.get(200)?.media.length ?? 0) > 0) return USUAL;
  return ORDER[operation.method] ?? USUAL;
};

/** The documented success; 200 where the document has none, a redirect where it has only those. */
export const successOf = (operation: HttpOperation): Given => {
  const { answers } = operation;
  const good = codes(answers, '2');
  const exact = new Map(good.filter(({ status }) => status !== '2XX').map((answer) => [Number(answer.status), answer]));
  for (const status of orderOf(operation, exact)) {
    const answer = exact.get(status);
    if (answer) return { status, answer };
  }
  const [other] = exact;
  if (other) return { status: other[0], answer: other[1] };
  const ranged = good.find(({ status }) => status === '2XX');
  const usual = operation.method === 'post' && !isAction(operation) ? 201 : 200;
  if (ranged) return { status: ranged.media.length > 0 ? usual : 204, answer: ranged };
  const moved = codes(answers, '3').find(({ status }) => /^30[12378]$/.test(status));
  if (moved) return { status: Number(moved.status), answer: moved };
  const rest = answers.find(({ status }) => status === 'default');
  return { status: 200, answer: rest };
};

/** Statuses that clients act on by themselves. */
const NEAR: Readonly<Record<number, readonly number[]>> = { 400: [422], 422: [400], 410: [404], 405: [404] };

/** The documented answer for an error; where none has its status, its own status with the form of the nearest. */
export const errorOf = ({ answers }: HttpOperation, status: number): Given => {
  const exact = (code: number): HttpAnswer | undefined => answers.find((answer) => answer.status === String(code));
  const own = exact(status);
  if (own) return { status, answer: own };
  const range = answers.find((answer) => answer.status === `${Math.floor(status / 100)}XX`);
  if (range) return { status, answer: range };
  if (status === 400 || status === 422)
    for (const near of NEAR[status] ?? []) {
      const answer = exact(near);
      if (answer) return { status: near, answer };
    }
  const rest = answers.find((answer) => answer.status === 'default');
  if (rest && rest.media.length > 0) return { status, answer: rest };
  return { status, answer: undefined };
};

/** Documented errors of the operation whose form may be lent to one that is not, nearest first. */
export const lenders = ({ answers }: HttpOperation, status: number): HttpAnswer[] => {
  const failing = [...codes(answers, '4'), ...codes(answers, '5')].filter(({ media }) => media.length > 0);
  const distance = ({ status: code }: HttpAnswer): number => Math.abs(Number(code.replaceAll('X', '0')) - status);
  return failing.sort((a, b) => distance(a) - distance(b));
};

const okOf = (answer: HttpAnswer | undefined, shapes: Shapes): Flat | undefined => {
  const schema = answer?.media.find((media) => media.schema !== undefined)?.schema;
  const flat = schema === undefined ? undefined : shapes.flats.of(schema);
  return flat?.required.has('ok') ? shapes.flats.of(flat.properties.get('ok')) : undefined;
};

/**
 * Whether failures come with the status of a success and say so in the body alone: `ok: true` where all went well, `ok: false` in the
 * `default` answer, and no answer with the status of an error (Slack).
 */
export const saysInBody = (operation: HttpOperation, shapes: Shapes): boolean => {
  const { answers } = operation;
  const rest = answers.find(({ status }) => status === 'default');
  if (rest === undefined || codes(answers, '4').length > 0) return false;
  const refused = okOf(rest, shapes)?.listed;
  const granted = okOf(successOf(operation).answer, shapes)?.listed;
  return refused?.every((value) => value === false) === true && granted?.every((value) => value === true) === true;
};
