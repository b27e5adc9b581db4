/** The fresh process: answers job after job until its parent lets go of it. Started by fresh-process.ts. */
import { Engine } from '../../world/state/engine.js';
import { runJob } from './run-job.js';
import type { Answered, Asked } from './script.js';

const engine = await Engine.start();

process.on('message', ({ number, job }: Asked) => {
  const answered: Answered = { number, result: runJob(engine, job) };
  process.send?.(answered);
});
process.on('disconnect', () => {
  engine.close();
  process.exit(0);
});
// Ctrl-C at a terminal is sent to children too; the parent decides when to let go.
process.on('SIGINT', () => undefined);
