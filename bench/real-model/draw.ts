/** Draws a token as llama.cpp's usual chain does: top-k, top-p, min-p, then temperature. */
import type { Rng } from '../../src/kit/rng.js';

export interface DrawSettings {
  temperature: number;
  /** 0: all. */
  topK: number;
  /** 1: all. */
  topP: number;
  /** 0: all. */
  minP: number;
}

/** `probabilities`: of every token, the likeliest first. */
export const drawToken = (
  probabilities: ReadonlyMap<number, number>,
  { temperature, topK, topP, minP }: DrawSettings,
  random: Rng,
): number => {
  const kept: [number, number][] = [];
  let most = 0;
  let sum = 0;
  for (const [id, chance] of probabilities) {
    if (kept.length === 0) most = chance;
    else if ((topK > 0 && kept.length >= topK) || sum >= topP || chance < minP * most) break;
    kept.push([id, chance]);
    sum += chance;
  }
  const first = kept[0]?.[0] ?? 0;
  if (temperature <= 0 || most <= 0) return first;
  const weights = kept.map(([id, chance]) => [id, (chance / most) ** (1 / temperature)] as const);
  const total = weights.reduce((all, [, weight]) => all + weight, 0);
  let at = random.unit() * total;
  for (const [id, weight] of weights) {
    at -= weight;
    if (at < 0) return id;
  }
  return first;
};
