// A front with workers as `treadle serve --workers` makes one, from the build (dist/), to be killed by a drill. Its options are JSON,
// the first argument. Says over IPC where it listens, and who its workers are when asked; ends in order when told to.
import { openFront } from '../../../dist/cli/serving/with-workers.js';

const options = JSON.parse(process.argv[2] ?? '{}');
const say = (error) => process.stderr.write(`front: ${error.line()}\n`);
const front = await openFront({
  ...options,
  onDefect: say,
  onFatal: (error) => {
    say(error);
    process.exit(1);
  },
});
const { fleet, trainers } = front.served;
process.on('message', async (asked) => {
  if (asked === 'workers')
    process.send({ workers: [...fleet.workers].map(({ name, pid, state }) => ({ name, pid, state })) });
  else {
    await front.close();
    process.exit(0);
  }
});
process.send({ trainers });
