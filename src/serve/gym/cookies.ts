/** Reads one cookie of a Cookie header. */

const NAME_AND_VALUE = /^\s*([^=\s]+)\s*=\s*"?([A-Za-z0-9_-]{1,256})"?\s*$/;

/** The value of the last cookie of that name; undefined when there is none of our own form. */
export const cookieOf = (header: string | undefined, name: string): string | undefined => {
  if (header === undefined) return undefined;
  let found: string | undefined;
  for (const part of header.split(';')) {
    const match = NAME_AND_VALUE.exec(part);
    if (match?.[1] === name) found = match[2];
  }
  return found;
};
