/** The table of what sampling cost, for people. */
import type { MethodSums, Told } from './sums.js';

const whole = (n: number): string => Math.round(n).toLocaleString('en-US');
const one = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 1 });

const row = (name: string, { attempts, turns, calls, tokens, wallMs, usd }: Told, form = whole): string[] => [
  name,
  form(attempts),
  form(turns),
  form(calls),
  whole(tokens),
  `${(wallMs / 1000).toFixed(2)} s`,
  ...(usd === undefined ? [] : [`$${usd.toFixed(4)}`]),
];

/** Columns as wide as their widest cell, the first to the left, the others to the right. */
export const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, col) => Math.max(...rows.map((cells) => cells[col]?.length ?? 0)));
  return rows.map((cells) =>
    cells.map((cell, col) => (col === 0 ? cell.padEnd(widths[col] ?? 0) : cell.padStart(widths[col] ?? 0))).join('  '),
  );
};

/** Kept, dropped and per accepted trajectory, of one method after the other. */
export const costTable = (all: readonly MethodSums[]): string[] => {
  const [first] = all;
  if (!first) return [];
  const tokens = all.every((sums) => sums.tokens === 'counted') ? 'tokens' : 'tokens (characters/4)';
  const body = all.flatMap(({ method, cost, perAccepted }) => {
    const [kept, dropped] = method === 'group' ? ['branches', 'shared'] : ['kept', 'dropped'];
    return [
      row(`${method} ${kept}`, cost.kept),
      row(`${method} ${dropped}`, cost.dropped),
      ...(perAccepted ? [row(`${method} per accepted`, perAccepted, one)] : []),
    ];
  });
  const heads = ['', 'attempts', 'turns', 'calls', tokens, 'wall', 'cost'];
  return aligned([heads.slice(0, body[0]?.length), ...body]);
};
