/** Enum values in a surface's style; every styled value maps back to the one it came from. */
import type { Surface } from '../../artifacts/surface.js';
import { kebab, pascal, snake, spaced, upperSnake } from '../../kit/words.js';
import { badValue, type Codec, shownValue } from './value.js';

const STYLES: Record<Surface['enums'], (value: string) => string> = {
  asis: (value) => value,
  lower_snake: snake,
  upper_snake: upperSnake,
  pascal,
  kebab,
  words: spaced,
};

/** Values in `style`; as they are when two of them would read alike or one would vanish. */
const styledValues = (style: Surface['enums'], values: readonly string[]): string[] => {
  const styled = values.map(STYLES[style]);
  return new Set(styled).size === values.length && styled.every((value) => value !== '') ? styled : [...values];
};

export const enumCodec = (style: Surface['enums'], values: readonly string[]): Codec => {
  const styled = styledValues(style, values);
  const forward = new Map(values.map((value, i) => [value, styled[i] as string]));
  const back = new Map(styled.map((value, i) => [value, values[i] as string]));
  return {
    encode: (value) => (typeof value === 'string' ? (forward.get(value) ?? value) : value),
    decode: (json) => {
      const value = typeof json === 'string' ? back.get(json) : undefined;
      if (value === undefined) throw badValue(`must be one of ${styled.join(', ')}, not ${shownValue(json)}`, json);
      return value;
    },
    schema: { type: 'string', enum: styled },
  };
};
