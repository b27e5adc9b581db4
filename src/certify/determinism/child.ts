/** The fresh process: reads a script from stdin, answers one line a job. Started by processes.ts. */
import { Corpus } from '../../corpus/corpus.js';
import { Engine } from '../../world/state/engine.js';
import { runJob } from './run-job.js';
import type { JobResult, Script } from './script.js';

const read = async (): Promise<Script> => {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as Script;
};

const script = await read();
const corpus = Corpus.open(script.corpus);
const engine = await Engine.start();
for (const job of script.jobs) {
  let result: JobResult;
  try {
    result = runJob(engine, corpus, job);
  } catch (thrown) {
    result = {
      world: job.world,
      observations: '',
      state: '',
      restored: '',
      tasks: {},
      error: thrown instanceof Error ? thrown.message : String(thrown),
    };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
engine.close();
