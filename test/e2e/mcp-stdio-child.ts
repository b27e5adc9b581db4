/** What the stdio test spawns: one note session on this process's own stdin and stdout. */
import { serveStdio } from '../../src/serve/mcp/stdio.js';
import { noteHost } from './mcp-host.js';

export const served = serveStdio({ host: noteHost(), input: process.stdin, output: process.stdout });
