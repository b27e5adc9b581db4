/** From the start of `treadle serve DOCUMENT --rest` to its first answer, for a document with a thousand operations. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIRECTORY, hasDirectory } from '../documents/sample.js';
import { median, round, say } from '../serve/report.js';
import { FIRST, largeDocument, OPERATIONS_EACH } from './large.js';
import type { Options } from './options.js';
import { serveFake } from './servers.js';

const startedIn = async (document: string, first: string, times: number): Promise<number> => {
  const seen: number[] = [];
  for (let n = 0; n < times; n++) {
    const served = await serveFake(document, first);
    seen.push(served.startedMs);
    await served.stop();
  }
  say(`${first}: ${seen.map((ms) => Math.round(ms)).join(', ')} ms`);
  return round(median(seen) / 1000, 2);
};

export const runStartup = async ({ small }: Options): Promise<Record<string, unknown>> => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-rest-'));
  try {
    const file = join(folder, 'large.json');
    const resources = small ? 10 : 125;
    writeFileSync(file, largeDocument(resources));
    const startup = await startedIn(file, FIRST, small ? 1 : 3);
    const github = !small && hasDirectory();
    return {
      startup_s: startup,
      startup_operations: resources * OPERATIONS_EACH,
      ...(github
        ? { startup_github_s: await startedIn(`${DIRECTORY}github.com/api.github.com.json`, '/user/repos', 3) }
        : {}),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
