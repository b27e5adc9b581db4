// `npm run bench -- NAME [args]` runs bench/NAME.ts straight from source: its types are stripped as it loads, so nothing
// has to be built first and data files are found as in src/. A benchmark exports `main(args)`, which answers with an
// object; it is printed here as one line of JSON, the last of the output. Everything else a benchmark prints comes before.
import { existsSync, readdirSync } from 'node:fs';
import { register } from 'node:module';

const [name = '', ...args] = process.argv.slice(2);
const names = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort();
if (!names.includes(name) || !existsSync(new URL(`${name}.ts`, import.meta.url))) {
  process.stderr.write(`There is no benchmark ${JSON.stringify(name)}. Name one of: ${names.join(', ')}\n`);
  process.exit(2);
}
register('./loader.mjs', import.meta.url);
try {
  const { main } = await import(new URL(`${name}.ts`, import.meta.url).href);
  process.stdout.write(`${JSON.stringify(await main(args))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
