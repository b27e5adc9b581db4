/** `treadle build` on a document, as a user would run it: services, the world they stand in, gated tasks, verified rows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../src/cli/pipeline/build.js';
import { readInput } from '../../src/cli/pipeline/input.js';
import { makeUi } from '../../src/cli/ui.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { TreadleError } from '../../src/errors.js';

export interface Built {
  /** Services of the document that stand in the certified world; 0 when there is none. */
  services: number;
  tools: number;
  tasks: number;
  rows: number;
  /** Tools and worlds given up on the way. */
  dropped: number;
  /** Why there is no certified world. */
  failed?: string;
}

const NONE = { services: 0, tools: 0, tasks: 0, rows: 0, dropped: 0 };

/** One certified world and `tasks` tasks of the document, determinism in two fresh processes included; needs `npm run build` first. */
export const builtFrom = async (file: string, tasks: number, seed: string): Promise<Built> => {
  const dir = mkdtempSync(join(tmpdir(), 'treadle-documents-'));
  const out = join(dir, 'corpus');
  try {
    const summary = await build(
      { input: await readInput(file), worlds: 1, tasks, seed, out, pins: {} },
      makeUi(false, true),
    );
    const corpus = Corpus.open(out);
    const [id] = corpus.worlds();
    if (summary.certified === 0 || id === undefined)
      return { ...NONE, dropped: summary.dropped.length, failed: summary.dropped.at(-1)?.why ?? 'no world' };
    const { world, services } = corpus.readWorld(id);
    const own = services.filter((spec) => world.services.some((ref) => ref.id === spec.id && ref.role === 'domain'));
    const tools = own.reduce((sum, spec) => sum + Object.keys(spec.tools).length, 0);
    return { services: own.length, tools, tasks: summary.tasks, rows: summary.rows, dropped: summary.dropped.length };
  } catch (thrown) {
    return { ...NONE, failed: thrown instanceof TreadleError ? `${thrown.code}: ${thrown.line()}` : String(thrown) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
