/** The program of a worker's process; started by a front, see `serveWithWorkers`. */
import { asTreadleError } from '../../errors.js';
import { runWorker } from '../../serve/workers/worker/process.js';
import { warn } from '../ui.js';
import { workerHouse } from './worker.js';

try {
  await runWorker(workerHouse);
  process.exit(0);
} catch (thrown) {
  warn(`worker: ${asTreadleError(thrown, 'infrastructure').line()}`);
  process.exit(1);
}
