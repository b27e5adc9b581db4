/** What the queue of a command says of itself, as errors of its corpus: which file, and that nothing made is lost. */
import { diskError } from '../../../corpus/files.js';
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { JobRow } from '../../../serve/durable/jobs/jobs.js';
import { errorOf } from '../../../serve/durable/jobs/run.js';

const AGAIN = 'Run the same command again: it goes on where it stopped.';

/** Failures of the store in `folder`; other errors stay what they are. */
export const queueError = (thrown: unknown, folder: string): TreadleError => {
  const error = asTreadleError(thrown, 'infrastructure');
  const { code, message, value } = error;
  const told = (detail: { code: string; message: string; next: string; value?: unknown }): TreadleError =>
    new TreadleError({ fault: 'input', ...detail, cause: error });
  switch (code) {
    case 'folder_in_use':
      return told({
        code: 'corpus_in_use',
        message: 'Another process does this work in this folder',
        value,
        next: 'Wait until it has ended, or stop it; then run the same command again.',
      });
    case 'damaged_store':
    case 'data_folder_newer':
      return told({
        code: 'damaged_jobs',
        message: `The list of what is done and what is not cannot be used: ${message.replace("The data folder's ", '')}`,
        value: folder,
        next: 'Delete that folder and run the same command again: what is made is found by its own files.',
      });
    case 'disk_full':
      return diskError(Object.assign(new Error('no room for its jobs'), { code: 'ENOSPC' }), folder, 'write');
    case 'store_failed':
      return typeof value === 'string' && /^E[A-Z]+$/.test(value)
        ? diskError(Object.assign(new Error(message), { code: value }), folder, 'write')
        : error;
    default:
      return error;
  }
};

/** Jobs that came to nothing: the first one's last error, and how many there are. */
export const jobsFailed = (failed: readonly JobRow[], of: number, what: string): TreadleError | undefined => {
  const [first] = failed;
  if (!first) return undefined;
  const { code, message, value, next, fault } = errorOf(first);
  return new TreadleError({
    code,
    message: `${message}; ${failed.length} of ${of} ${what} came to nothing, ${first.id} after ${first.attempt} tries`,
    ...(value === undefined ? {} : { value }),
    next: next ?? AGAIN,
    fault,
  });
};

export const workerDied = (how: string): TreadleError =>
  new TreadleError({
    code: 'worker_died',
    message: 'A worker process died on its way',
    value: how,
    next: 'Give it more memory or fewer --jobs, and run the same command again: it goes on where it stopped.',
    fault: 'infrastructure',
  });
