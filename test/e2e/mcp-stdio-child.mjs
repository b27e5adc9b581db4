/** Runs mcp-stdio-child.ts without a build: Node 20 reads no TypeScript, vite's runner does. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module } = await runnerImport(fileURLToPath(new URL('./mcp-stdio-child.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'silent',
});
await module.served;
