/** `npm run fuzz [-- SEED OPERATIONS]`: the state engine's differential fuzz at length. */
import { Engine } from '../src/world/state/engine.js';
import { type FuzzReport, fuzzState } from '../test/fuzz/state-fuzz.js';

export const main = async ([seed = '1', operations = '100000']: string[]): Promise<FuzzReport> => {
  const engine = await Engine.start();
  const report = fuzzState(engine, Number(seed), Number(operations));
  engine.close();
  return report;
};
