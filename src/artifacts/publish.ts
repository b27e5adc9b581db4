/** Writes the JSON Schema of every noun to schemas/ (`npm run schemas`). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { NOUNS } from './registry.js';

/** File name to text of each published schema. */
export const publishedSchemas = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(NOUNS).map(([kind, schema]) => [
      `${kind}.schema.json`,
      `${JSON.stringify({ $id: `https://treadle.example/schemas/${kind}.schema.json`, title: kind, ...z.toJSONSchema(schema, { io: 'input' }) }, null, 2)}\n`,
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL('../../schemas/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(publishedSchemas())) writeFileSync(folder + name, text);
}
