/** A frozen set of changed pages over a parent, reference-counted: what forks and snapshots share. */
import type { Slabs } from './slabs.js';

/** A deeper chain is merged into one layer at the next freeze, so that a page is found in a bounded number of steps. */
const DEEPEST = 12;

export class Layer {
  refs = 1;
  readonly depth: number;

  /** Takes over one reference to every slot in `pages` (page number to slot) and one to `parent`. */
  constructor(
    readonly slabs: Slabs,
    readonly pages: Map<number, number>,
    readonly parent: Layer | undefined,
  ) {
    this.depth = (parent?.depth ?? 0) + 1;
  }
}

/** Drops one reference; a layer that nobody holds gives its pages back and lets go of its parent. */
export const releaseLayer = (held: Layer | undefined): void => {
  for (let layer = held; layer && --layer.refs === 0; layer = layer.parent) {
    for (const slot of layer.pages.values()) layer.slabs.release(slot);
  }
};

/** One layer that reads like the whole chain; the slots are shared, not copied. Takes over the reference to `top`. */
const merged = (top: Layer): Layer => {
  const chain: Layer[] = [];
  for (let layer: Layer | undefined = top; layer; layer = layer.parent) chain.push(layer);
  const pages = new Map<number, number>();
  for (const layer of chain.reverse()) for (const [page, slot] of layer.pages) pages.set(page, slot);
  for (const slot of pages.values()) top.slabs.retain(slot);
  releaseLayer(top);
  return new Layer(top.slabs, pages, undefined);
};

/** Freezes `pages` over `parent`, taking over the references to both. */
export const freeze = (slabs: Slabs, pages: Map<number, number>, parent: Layer | undefined): Layer => {
  const layer = new Layer(slabs, pages, parent);
  return layer.depth > DEEPEST ? merged(layer) : layer;
};

/** Puts `pages` in place of the layer's own, taking over the references; for a layer that nobody else reads. */
export const absorb = (layer: Layer, pages: ReadonlyMap<number, number>): void => {
  for (const [page, slot] of pages) {
    const old = layer.pages.get(page);
    if (old !== undefined) layer.slabs.release(old);
    layer.pages.set(page, slot);
  }
};
