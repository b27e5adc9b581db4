/** Catalogue worlds for tests of tasks: small in number, real in kind. */
import { assembleWorld } from '../../src/author/assemble.js';
import { authorFromBrief } from '../../src/author/catalogue/author.js';
import { type LoadedWorld, loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';

let engine: Promise<Engine> | undefined;

export const catalogueWorld = async (brief: string, seed: string, archetypes?: string[]): Promise<LoadedWorld> => {
  engine ??= Engine.start();
  const running = await engine;
  return loadWorld(
    running,
    assembleWorld(running, authorFromBrief(brief, { seed, ...(archetypes ? { pins: { archetypes } } : {}) })),
  );
};
