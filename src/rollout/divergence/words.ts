/** A divergence in one line. Texts are as tools and agents wrote them: clean them for where they are shown. */
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { Divergence } from './diverge.js';
import type { Step } from './steps.js';

const MOST = 160;
/** Arguments that are told apart one by one. */
const FEW = 3;

const short = (text: string): string =>
  text.length > MOST ? `${text.slice(0, MOST - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;

const call = ({ tool, args }: Step): string => short(`${tool} ${JSON.stringify(args)}`);

/** Values by dotted path; a list is one value. */
const leaves = (value: Json, path = ''): [string, Json][] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`))
    : [[path, value]];

/** Where two calls of one tool differ, where that is in few arguments: `id "a"`, and what it is there. */
const apart = (made: Step, expected: Step): { made: string; expected: string } | undefined => {
  const [own, theirs] = [new Map(leaves(made.args)), new Map(leaves(expected.args))];
  const paths = [...new Set([...own.keys(), ...theirs.keys()])].filter(
    (path) => canonicalJson(own.get(path) ?? null) !== canonicalJson(theirs.get(path) ?? null),
  );
  if (made.tool !== expected.tool || paths.length === 0 || paths.length > FEW || own.has('') || theirs.has(''))
    return undefined;
  const shown = (of: ReadonlyMap<string, Json>, isNamed: boolean): string =>
    paths
      .map((path) => `${isNamed ? `${path} ` : ''}${of.has(path) ? short(JSON.stringify(of.get(path))) : 'nothing'}`)
      .join(', ');
  return { made: `${made.tool} with ${shown(own, true)}`, expected: shown(theirs, paths.length > 1) };
};

export const divergenceWords = ({ kind, at, made, expected, way }: Divergence): string => {
  const number = at === undefined ? '' : `call ${at + 1}`;
  const told = made && expected ? apart(made, expected) : undefined;
  const did = told?.made ?? (made ? call(made) : '');
  const wanted = told?.expected ?? (expected ? call(expected) : 'no such change');
  switch (kind) {
    case 'other_change':
    case 'other_read':
      return expected
        ? `${number} was ${did}, where ${way} has ${wanted}`
        : `${number} was ${did}, which ${way} does not have`;
    case 'repeated_change':
      return `${number} did once more what was done already: ${did}`;
    case 'refused_change':
      return `${number}, ${did}, was refused (${made?.error ?? 'error'}); ${way} has ${wanted}`;
    case 'missing_change':
    case 'missing_read':
      return `never called ${wanted}, which ${way} has`;
    case 'same_calls':
      return `made the calls of ${way}; what was said at the end is not the same, or when it was done`;
  }
};
