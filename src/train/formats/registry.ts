/** The formats rows can be written in; adding one is one file and one line here. */
import { TreadleError } from '../../errors.js';
import type { RowFormat } from './format.js';
import { hermes } from './hermes.js';
import { openai } from './openai.js';
import { qwenXml } from './qwen-xml.js';
import { sharegpt } from './sharegpt.js';
import { treadle } from './treadle.js';

/** By their ids: those that write a row as one line and read it back. `shapes.ts` has the others. */
export const FORMATS: Readonly<Record<string, RowFormat>> = {
  treadle,
  openai,
  sharegpt,
  hermes,
  'qwen-xml': qwenXml,
};

/** Throws `unknown_format` with the names there are. */
export const formatOf = (id: string): RowFormat => {
  const found = Object.hasOwn(FORMATS, id) ? FORMATS[id] : undefined;
  if (found) return found;
  throw new TreadleError({
    code: 'unknown_format',
    message: 'There is no such row format',
    value: id,
    next: `Choose one of ${Object.keys(FORMATS).join(', ')}.`,
  });
};
