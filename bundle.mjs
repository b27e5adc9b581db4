/**
 * The executable in few files: the last step of `npm run build`. Node reads, resolves and compiles each module by itself, half a second for
 * the six hundred of a server; so the commands are left once more as chunks in dist/bundle, and dist/cli/main.js runs those. Dependencies
 * stay where they are installed. Processes that a command starts, and the library, have the modules as they are.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('dist/', import.meta.url));
const out = `${dist}bundle`;

/** What a module looks for beside itself is still found beside it. */
const ownPlaces = {
  name: 'own-places',
  transform: (code, id) => {
    if (!code.includes('import.meta.url')) return undefined;
    const place = relative(dist, id).split(sep).join('/');
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(`../${place}`)}, import.meta.url).href`);
  },
};

// A query stands for another run in the same process (test/e2e/warm): it reaches main.js alone, the rest stays loaded.
const main = `#!/usr/bin/env node
/** The executable, as \`npm run build\` bundled it: see src/cli/main.ts. */
await import(\`../bundle/main.js\${new URL(import.meta.url).search}\`);
`;

rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${dist}cli/main.js` },
  platform: 'node',
  external: [/^[^./]/],
  plugins: [ownPlaces],
});
await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
await bundle.close();
writeFileSync(`${dist}cli/main.js`, main);
