/** What a command was given: a document or a corpus. */
import { statSync } from 'node:fs';
import { isUrl } from '../../author/openapi/read.js';

/** Whether what is served is a document rather than a corpus. */
export const isDocument = (given: string): boolean =>
  isUrl(given) || statSync(given, { throwIfNoEntry: false })?.isFile() === true;
