/** Runs the fixture from its source: prints its address, serves until it is stopped. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module } = await runnerImport(fileURLToPath(new URL('./fixture.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'silent',
});
const { origin, close } = await module.startFixture();
console.log(JSON.stringify({ url: `${origin}/mcp` }));
const stop = () => void close().then(() => process.exit(0));
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
