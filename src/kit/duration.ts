/** Lengths of time as people write them: `250ms`, `30s`, `1h30m`, `14d`. */
const MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const PART = /(\d+(?:\.\d+)?)(ms|[smhdw])/y;

/** Milliseconds; undefined for what is no length of time. */
export const durationMs = (text: string): number | undefined => {
  const plain = text.replaceAll(' ', '').toLowerCase();
  if (plain === '') return undefined;
  let at = 0;
  let sum = 0;
  while (at < plain.length) {
    PART.lastIndex = at;
    const found = PART.exec(plain);
    if (!found) return undefined;
    sum += Number(found[1]) * (MS[found[2] as string] as number);
    at = PART.lastIndex;
  }
  const whole = Math.round(sum);
  return Number.isSafeInteger(whole) ? whole : undefined;
};
