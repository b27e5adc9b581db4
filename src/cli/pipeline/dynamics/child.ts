/** A worker that makes scenarios. Started by crew.ts. */
import { serveWorlds } from '../worlds/worker.js';
import { type MadeScenarios, makeScenarios, type Wanted } from './make.js';

await serveWorlds<Wanted, MadeScenarios>((corpus, engine, world, wanted) =>
  makeScenarios(corpus, engine, world, wanted),
);
