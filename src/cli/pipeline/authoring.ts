/** What runs the worlds of construction samples: one engine to certify in, and two fresh processes. */
import { assembleWorld } from '../../author/assemble.js';
import { certifyWorld } from '../../certify/certify.js';
import { FreshPair } from '../../certify/determinism/pair.js';
import type { Oracle } from '../../train/authoring/export.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { certifierOf } from './model-author.js';
import { callsOf } from './slot.js';

export interface OpenOracle extends Oracle {
  close(): void;
}

export const openOracle = async (say: (line: string) => void): Promise<OpenOracle> => {
  const engine = await Engine.start();
  const pair = new FreshPair();
  return {
    certify: certifierOf(engine),
    prove: async (draft) => {
      const parts = assembleWorld(engine, draft);
      const loaded = loadWorld(engine, parts);
      const { probes } = certifyWorld(loaded);
      unloadWorld(loaded);
      await pair.give({ parts, calls: callsOf(probes), tasks: [] });
      return (await pair.findings()).get(draft.id)?.pass === true;
    },
    say,
    close: () => {
      pair.close();
      engine.close();
    },
  };
};
