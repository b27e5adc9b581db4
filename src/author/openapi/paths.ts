/** Path templates as segments: `/v1/customers/{id}:cancel` -> customers, {id}, verb cancel. */
import { wordsOf } from '../../kit/words.js';

export interface Segment {
  /** Static text, or the parameter's name. */
  text: string;
  param: boolean;
}

export interface PathShape {
  segments: Segment[];
  /** Google's custom verb after a colon. */
  verb: string | undefined;
}

const ENDING = /(\.(json|xml|html?)|\.?\{[A-Za-z_]*(format|extension|ext)\})$/i;

/** `/webhooks/:id`: a parameter as routers write it. */
const EXPRESS = /^:[A-Za-z_]\w*$/;

/** OData's `orders({id})` and `orders(id='{id}')` become two segments. */
const splitKeyed = (part: string): string[] => {
  const keyed = /^([^({]+)\((?:[^{}]*=)?'?\{([^{}]+)\}'?\)$/.exec(part);
  return keyed ? [keyed[1] as string, `{${keyed[2]}}`] : [part];
};

export const shapeOf = (path: string): PathShape => {
  const bare = (path.split(/[?#]/)[0] ?? '').replace(ENDING, '').replace(/\/+$/, '');
  let verb: string | undefined;
  const segments: Segment[] = [];
  for (const part of bare.split('/').filter(Boolean).flatMap(splitKeyed)) {
    if (EXPRESS.test(part)) {
      segments.push({ text: part.slice(1), param: true });
      continue;
    }
    const custom = /^(.*[^:]):([A-Za-z]\w*)$/.exec(part);
    if (custom) verb = custom[2];
    const text = custom ? (custom[1] as string) : part;
    const params = [...text.matchAll(/\{[+]?([^{}]+)\*?\}/g)].map((match) => (match[1] as string).replace(/\*$/, ''));
    const last = params.at(-1);
    if (last !== undefined) segments.push({ text: last, param: true });
    else segments.push({ text, param: false });
  }
  return { segments, verb };
};

/** The template with parameter names blanked: one key for the same place however its parameters are called. */
export const placeOf = (segments: readonly Segment[]): string =>
  `/${segments.map((segment) => (segment.param ? '{}' : segment.text.toLowerCase())).join('/')}`;

const VERSION =
  /^(v?\d+([._-]\d+)*(alpha|beta|rc)?\d*|v\d+\w*|\d{4}-\d{2}-\d{2}|api|rest|apis|services?|public|latest)$/i;
/** Words that hold no meaning as the name of a thing. */
export const isPlumbing = (segment: string): boolean => VERSION.test(segment);

/** Last word of a segment; `credit-notes` -> notes. */
export const lastWord = (segment: string): string => wordsOf(segment).at(-1) ?? '';

/** `conversations.archive`: a procedure named by its resource. */
export const isDotted = (segment: string): boolean => /^[a-z]\w*(\.[a-z]\w*)+$/i.test(segment);
