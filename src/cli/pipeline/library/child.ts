/** A worker that makes libraries. Started by crew.ts. */
import { serveWorlds } from '../worlds/worker.js';
import { type MadeLibrary, makeLibrary, type Wanted } from './make.js';

await serveWorlds<Wanted, MadeLibrary>((corpus, engine, world, wanted) => makeLibrary(corpus, engine, world, wanted));
