/** The shapes that rows can be exported in by their names; `tokens` needs a tokenizer or the rollouts' own ids (tokenizer/shapes.ts). */
import { TreadleError } from '../../errors.js';
import type { RowFormat } from './format.js';
import { promptCompletion } from './prompt-completion.js';
import { FORMATS } from './registry.js';
import type { Shape } from './shape.js';
import { text } from './text.js';

const ofFormat = (format: RowFormat): Shape => ({
  id: format.id,
  describes: format.describes,
  columns: format.columns,
  lines: ({ row }) => (format.cannotSay?.(row) ? { refused: 'not_expressible' } : { lines: [format.write(row)] }),
});

export const SHAPES: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.values(FORMATS).map((format) => [format.id, ofFormat(format)])),
  'prompt-completion': promptCompletion,
  text,
};

/** Throws `unknown_format` with the names there are. */
export const shapeOf = (id: string): Shape => {
  const found = Object.hasOwn(SHAPES, id) ? SHAPES[id] : undefined;
  if (found) return found;
  throw new TreadleError({
    code: 'unknown_format',
    message: 'There is no such row format',
    value: id,
    next: `Choose one of ${Object.keys(SHAPES).join(', ')}.`,
  });
};
