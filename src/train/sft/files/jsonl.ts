/** JSON lines, one file a split. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { close, oneLine, opened, push } from '../lines.js';
import type { Sink } from './sink.js';

export const jsonlSink = (root: string, stem: string): Sink => {
  const path = `${stem}.jsonl`;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  const file = opened(join(root, path));
  let lines = 0;
  return {
    push: (json) => {
      lines++;
      return push(file, `${oneLine(json)}\n`);
    },
    close: async () => {
      await close(file);
      if (lines > 0) return [path];
      rmSync(join(root, path), { force: true });
      return [];
    },
    abandon: () => file.destroy(),
  };
};
