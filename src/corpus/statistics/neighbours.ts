/** Nearest neighbours by cosine, exact: terms are looked up rarest first until no text that shares none of them can be nearer. */
import { cosine, type Vectors } from './vectors.js';

export interface Neighbours {
  /** Cosine of each asked row to its nearest other row. */
  nearest: Float32Array;
  /** Pairs (a row and another one of a higher number or not asked for) at `twinAt` and above, each once. */
  twins: [number, number][];
  /** More pairs than are listed were found. */
  isCut: boolean;
}

/** Rows that have a term, one list after another. */
const postingsOf = ({ rows, terms, start, term }: Vectors): { from: Uint32Array; rows: Uint32Array } => {
  const from = new Uint32Array(terms + 1);
  const size = start[rows] as number;
  for (let i = 0; i < size; i++) from[(term[i] as number) + 1] = (from[(term[i] as number) + 1] as number) + 1;
  for (let t = 0; t < terms; t++) from[t + 1] = (from[t + 1] as number) + (from[t] as number);
  const next = from.slice();
  const out = new Uint32Array(size);
  for (let row = 0; row < rows; row++)
    for (let i = start[row] as number; i < (start[row + 1] as number); i++) {
      const t = term[i] as number;
      out[next[t] as number] = row;
      next[t] = (next[t] as number) + 1;
    }
  return { from, rows: out };
};

/** Pairs kept; a corpus of one text repeated has millions. */
const MOST_TWINS = 2_000_000;
/** Rounding of 32-bit weights. */
const SLACK = 1e-5;

/** For each row of `asked` (all by default) its nearest other row, and the pairs of cosine `twinAt` and above. */
export const neighboursOf = (vectors: Vectors, twinAt: number, asked?: readonly number[]): Neighbours => {
  const { rows, start, term, weight } = vectors;
  const postings = postingsOf(vectors);
  const queries = asked ?? Array.from({ length: rows }, (_, i) => i);
  const isAsked = asked ? new Set(asked) : undefined;
  const nearest = new Float32Array(queries.length);
  const twins: [number, number][] = [];
  let isCut = false;
  const seenBy = new Int32Array(rows).fill(-1);
  const touched: number[] = [];
  for (const [at, row] of queries.entries()) {
    touched.length = 0;
    let best = 0;
    let rest = 1;
    for (let i = start[row] as number; i < (start[row + 1] as number); i++) {
      // What shares none of the terms so far has at most the length of what is left of this row.
      if (Math.sqrt(Math.max(0, rest)) + SLACK < Math.min(best, twinAt)) break;
      const t = term[i] as number;
      for (let p = postings.from[t] as number; p < (postings.from[t + 1] as number); p++) {
        const other = postings.rows[p] as number;
        if (other === row || seenBy[other] === at) continue;
        seenBy[other] = at;
        const near = cosine(vectors, row, other);
        if (near > best) best = near;
        if (near >= twinAt && (other > row || isAsked?.has(other) === false)) touched.push(other);
      }
      rest -= (weight[i] as number) ** 2;
    }
    nearest[at] = best;
    for (const other of touched) {
      if (twins.length < MOST_TWINS) twins.push([row, other]);
      else isCut = true;
    }
  }
  return { nearest, twins, isCut };
};
