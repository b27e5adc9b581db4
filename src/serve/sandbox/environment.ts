/** What a process of somebody else's gets to see of our environment: nearly nothing, and no secret. */
import { randomUUID } from 'node:crypto';

/** Every process carries this variable, by which those that left their process group are found. */
export const MARK = 'TREADLE_PROCESS';

/** Of this process (and thread), the same for all that it starts. */
export const OWNER = randomUUID();

const KEPT = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot'];

/** A fresh mark: `<owner>.<one's own>`. */
export const newMark = (): string => `${OWNER}.${randomUUID()}`;

/** The search path, the language, a home and a place for temporary files in `folder`, and `extra`; nothing else of ours. */
export const processEnvironment = (
  folder: string,
  mark: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(kept),
    HOME: folder,
    TMPDIR: folder,
    ...extra,
    [MARK]: mark,
  };
};
