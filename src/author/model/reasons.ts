/** Why a model's words were not taken, counted by kind. */

/** A reason without what it quotes: `it lost`, `it names “...”, which nobody spoke of`. */
export const kindOfReason = (reason: string): string =>
  reason
    .replace(/“[^”]*”/g, '“...”')
    .replace(/\d[\d.,:/-]*/g, 'n')
    .slice(0, 80);
