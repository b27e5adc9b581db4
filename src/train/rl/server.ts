/** The address of the server that rows point at. */
import { TreadleError } from '../../errors.js';

/**
 * An http(s) address without a trailing slash. One with a name and password, a query or a fragment is refused: rows are copied
 * around, and secrets do not belong in them. Throws `bad_server`.
 */
export const serverUrl = (text: string): string => {
  const refuse = (why: string): TreadleError =>
    new TreadleError({
      code: 'bad_server',
      message: `--server ${why}`,
      value: text.length > 80 ? `${text.slice(0, 80)}...` : text,
      next: 'Give the address that treadle serve printed, such as http://127.0.0.1:8000.',
    });
  if (!URL.canParse(text)) throw refuse('is no address');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse('takes http or https');
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
    throw new TreadleError({
      code: 'bad_server',
      message: '--server holds a name or password, and every row would too',
      value: url.href,
      next: 'Leave it out, and give the trainer the token in TREADLE_GYM_TOKEN.',
    });
  }
  if (url.search !== '' || url.hash !== '') throw refuse('takes neither a query nor a fragment');
  return url.href.replace(/\/+$/, '');
};
