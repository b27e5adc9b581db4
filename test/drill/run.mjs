/**
 * The crash drill of real processes (docs/serving-durable.md): a front with workers under load, killed, stopped and starved by a seed,
 * then checked against everything that was promised. The last line is one JSON object; exit status 1 where a promise was broken.
 *
 *   node test/drill/run.mjs [--seed 1] [--faults 200] [--workers 2] [--sessions 16] [--durable call] [--short] [--corpus DIR]
 *
 * Needs a build (dist/). Builds a small corpus unless it is given one that was built from test/fixtures/documents/billing.yaml.
 */
import { register } from 'node:module';

register('../../bench/loader.mjs', import.meta.url);
const { main } = await import(new URL('processes/main.ts', import.meta.url).href);
process.exit(await main(process.argv.slice(2)));
