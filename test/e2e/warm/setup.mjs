/** Keeps warm processes (child.mjs): one for each of vitest's workers from the first test to the last, or for whoever asks. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** Starts `count` of them; each says in `dir`/1, `dir`/2, … where it listens, and one that ends is replaced. */
export const keepWarm = (count) => {
  const dir = mkdtempSync(join(tmpdir(), 'treadle-warm-'));
  const children = new Set();
  let isOver = false;
  const keep = (place) => {
    // What a command's own processes say on stderr is this run's to show.
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    const child = fork(CHILD, [MAIN, place], { stdio, execArgv: [], env: { ...process.env, NO_COLOR: '1' } });
    children.add(child);
    child.on('exit', () => {
      children.delete(child);
      rmSync(place, { force: true });
      if (!isOver) keep(place);
    });
  };
  for (let slot = 1; slot <= count; slot++) keep(join(dir, `${slot}`));
  const end = () => {
    isOver = true;
    for (const child of children) if (child.connected) child.disconnect();
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, end };
};

/** vitest's global setup. */
export const setup = ({ config }) => {
  const { dir, end } = keepWarm(Number(config.maxWorkers));
  process.env.TREADLE_TEST_WARM = dir;
  return end;
};
