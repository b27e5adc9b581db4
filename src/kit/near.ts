/** Names that a mistyped one may have meant. */

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] as number;
};

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '')
    .slice(0, 80);

/** At most three, the nearest first; all that there is when little is like it. */
export const nearNames = (name: string, names: readonly string[]): string[] => {
  const wanted = plain(name);
  return names
    .map((each) => {
      const other = plain(each);
      const holds = wanted.length > 2 && (other.includes(wanted) || (other.length > 2 && wanted.includes(other)));
      return { each, far: holds ? 0.5 : distance(wanted, other) };
    })
    .sort((a, b) => a.far - b.far || (a.each < b.each ? -1 : 1))
    .slice(0, 3)
    .map(({ each }) => each);
};
