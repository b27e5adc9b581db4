/** Readers of option values: each gives the value or says what would do. */
import { TreadleError } from '../errors.js';

const badOption = (option: string, takes: string, value: string, example: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: `${option} takes ${takes}`,
    value,
    next: `Give for example ${option} ${example}.`,
  });

/** A whole number from `least` (1) to `most`; throws `bad_option`. */
export const wholeNumber =
  (option: string, most: number, least = 1) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw badOption(
      option,
      `a whole number from ${least} to ${most}`,
      text,
      String(Math.max(least, Math.min(3, most))),
    );
  };

/** A number from `least` to `most`; throws `bad_option`. */
export const realNumber =
  (option: string, least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw badOption(option, `a number from ${least} to ${most}`, text, String(Math.min(most, 0.5)));
  };

/** Text that is not empty and at most 1,000 characters long; throws `bad_option`. */
export const shortText =
  (option: string, example: string) =>
  (text: string): string => {
    if (text.trim() !== '' && text.length <= 1000) return text;
    throw badOption(
      option,
      'between 1 and 1,000 characters',
      text.length > 40 ? `${text.length} characters` : text,
      example,
    );
  };

/** `count` whole numbers of seconds, none below the one before it, such as `30,300,1800`; throws `bad_option`. */
export const risingSeconds =
  (option: string, count: number, example: string) =>
  (text: string): number[] => {
    const values = text.split(',').map((part) => (/^\d{1,7}$/.test(part.trim()) ? Number(part) : Number.NaN));
    const rises = values.every((value, i) => value >= (values[i - 1] ?? 0));
    if (values.length === count && rises) return values;
    throw badOption(option, `${count} whole numbers of seconds that do not fall`, text, example);
  };

/** Names separated by commas; the option may be given several times. */
export const commaNames = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
];

/** Names between commas; the option may be given several times. A blank text is a name that nothing has, and not no filter. */
export const nameList = (text: string, before: readonly string[] = []): string[] => {
  const named = text.split(',').map((name) => name.trim());
  const given = named.filter(Boolean);
  return [...before, ...(given.length > 0 ? given : [''])];
};
