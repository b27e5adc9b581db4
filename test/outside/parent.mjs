/** Runs parent.ts without a build: Node 20 reads no TypeScript, vite's runner does. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module } = await runnerImport(fileURLToPath(new URL('./parent.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'silent',
});
await module.host(process.argv[2]);
if (process.argv[3] === 'exits') process.exit(0);
