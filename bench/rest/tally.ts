/** Reasons by how often they came, each with the first example. */
export type Tally = Map<string, { n: number; example: string }>;

const plain = (why: string): string =>
  why
    .replace(/"[^"]*"/g, '"..."')
    .replace(/\b[\w-]*\d[\w-]*\b/g, (word) => (/^\d{3}$/.test(word) ? word : '#'))
    .slice(0, 110);

export const count = (tally: Tally, why: string, example: string): void => {
  const kind = plain(why);
  const known = tally.get(kind);
  if (known) known.n++;
  else tally.set(kind, { n: 1, example: `${example}: ${why}`.slice(0, 420) });
};

export const sayTally = (title: string, tally: Tally, most = 25): void => {
  console.log(`${title}: ${[...tally.values()].reduce((sum, { n }) => sum + n, 0)}`);
  for (const [kind, { n, example }] of [...tally].sort((a, b) => b[1].n - a[1].n).slice(0, most))
    console.log(`  ${String(n).padStart(5)}  ${kind}\n         e.g. ${example}`);
};
