/** Documents are compiled once a process: what was read of the same text, seed, rows and corrections is the same. */
import { canonicalJson, type Json, sha256 } from '../../kit/hash.js';
import { Engine } from '../../world/state/engine.js';
import { type CompiledFake, compileFake, type FakeSource } from '../compile.js';

const MOST = 16;
const known = new Map<string, Promise<CompiledFake>>();

const compiled = async (source: FakeSource): Promise<CompiledFake> => {
  const engine = await Engine.start();
  try {
    return compileFake(engine, source);
  } finally {
    engine.close();
  }
};

/** Throws what compiling throws, to everybody who asked for it. */
export const compiledOnce = (source: FakeSource): Promise<CompiledFake> => {
  const { documents, seed, tables = [], overrides = null } = source;
  const key = sha256(canonicalJson({ documents, seed, tables, overrides } as unknown as Json));
  const found = known.get(key) ?? compiled(source);
  known.delete(key);
  known.set(key, found);
  if (known.size > MOST) known.delete(known.keys().next().value as string);
  found.catch(() => known.delete(key));
  return found;
};
