/**
 * TF-IDF vectors of many short texts, as AgentMercury's figures are made (its exact recipe is not published; these are the common
 * defaults): words of two characters or more in lower case, counts times ln((1+n)/(1+df))+1, length 1.
 */

/** Rows of a sparse matrix: row `i` has the entries `start[i]` up to `start[i+1]`; its terms ascend, rarest first. */
export interface Vectors {
  rows: number;
  terms: number;
  start: Uint32Array;
  term: Uint32Array;
  weight: Float32Array;
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;

const wordsIn = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** One vector a text; a text without words has an empty one. Terms are numbered by how few texts have them. */
export const vectorsOf = (texts: readonly string[]): Vectors => {
  const ids = new Map<string, number>();
  const df: number[] = [];
  const bags = texts.map((text) => {
    const bag = new Map<number, number>();
    for (const word of wordsIn(text)) {
      let id = ids.get(word);
      if (id === undefined) {
        id = ids.size;
        ids.set(word, id);
        df.push(0);
      }
      bag.set(id, (bag.get(id) ?? 0) + 1);
    }
    for (const id of bag.keys()) df[id] = (df[id] ?? 0) + 1;
    return bag;
  });
  const order = df.map((_, id) => id).sort((a, b) => (df[a] as number) - (df[b] as number) || a - b);
  const rank = new Uint32Array(order.length);
  for (const [at, id] of order.entries()) rank[id] = at;
  const size = bags.reduce((sum, bag) => sum + bag.size, 0);
  const out: Vectors = {
    rows: texts.length,
    terms: ids.size,
    start: new Uint32Array(texts.length + 1),
    term: new Uint32Array(size),
    weight: new Float32Array(size),
  };
  let at = 0;
  for (const [row, bag] of bags.entries()) {
    const entries = [...bag].map(([id, count]): [number, number] => [
      rank[id] as number,
      count * (Math.log((1 + texts.length) / (1 + (df[id] as number))) + 1),
    ]);
    const length = Math.sqrt(entries.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1;
    for (const [id, weight] of entries.sort((a, b) => a[0] - b[0])) {
      out.term[at] = id;
      out.weight[at++] = weight / length;
    }
    out.start[row + 1] = at;
  }
  return out;
};

/** Cosine of two rows. */
export const cosine = ({ start, term, weight }: Vectors, a: number, b: number): number => {
  let [i, j, sum] = [start[a] as number, start[b] as number, 0];
  const [endA, endB] = [start[a + 1] as number, start[b + 1] as number];
  while (i < endA && j < endB) {
    const gap = (term[i] as number) - (term[j] as number);
    if (gap === 0) sum += (weight[i++] as number) * (weight[j++] as number);
    else if (gap < 0) i++;
    else j++;
  }
  return sum;
};

/** Mean cosine over all pairs of different rows: exact, since the sum over pairs is the squared length of the sum of rows. */
export const meanPairwise = ({ rows, terms, start, term, weight }: Vectors): number => {
  if (rows < 2) return 0;
  const total = new Float64Array(terms);
  let own = 0;
  for (let i = 0; i < (start[rows] as number); i++) {
    const w = weight[i] as number;
    total[term[i] as number] = (total[term[i] as number] as number) + w;
    own += w * w;
  }
  const all = total.reduce((sum, w) => sum + w * w, 0);
  return (all - own) / (rows * (rows - 1));
};
