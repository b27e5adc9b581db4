// A process of a benchmark's own: `node bench/serve/child.mjs NAME` loads NAME.ts from source and answers what it is asked over IPC.
import { register } from 'node:module';

register('../loader.mjs', import.meta.url);
const { work } = await import(new URL(`./${process.argv[2]}.ts`, import.meta.url).href);
process.on('message', async ({ id, job }) => {
  try {
    process.send({ id, answer: await work(job) });
  } catch (error) {
    process.send({ id, failed: error instanceof Error ? error.stack : String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send({ id: 0 });
