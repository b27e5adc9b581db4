/** What a checker found, in words a caller can act on; of alternatives, only what tells. */
import type { ErrorObject } from 'ajv';

/** One thing in a value that does not fit. */
export interface SchemaFault {
  /** JSON pointer from the value's root; empty for the value itself. For what is missing: where it should be. */
  at: string;
  /** The JSON Schema keyword. */
  keyword: string;
  message: string;
}

const MOST = 20;

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};

const listed = (values: readonly unknown[]): string => {
  const few = values.slice(0, 20).map(shown).join(', ');
  return values.length > 20 ? `${few} and ${values.length - 20} more` : few;
};

const messageOf = ({ keyword, params, message }: ErrorObject): string => {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not taken';
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'enum':
      return `must be one of ${listed(params.allowedValues as unknown[])}`;
    case 'const':
      return `must be ${shown(params.allowedValue)}`;
    case 'format':
      return `must be a ${String(params.format)}`;
    default:
      return message ?? `breaks ${keyword}`;
  }
};

const faultOf = (error: ErrorObject): SchemaFault => {
  const { keyword, params, instancePath } = error;
  const name = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  const at = typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
  return { at, keyword, message: messageOf(error) };
};

const CHOICES = new Set(['anyOf', 'oneOf', 'chosen']);

/**
 * A choice that failed, of which every branch told its own error. Where a branch got further in than the value itself, its errors are
 * those that help; where none did, one sentence says what may stand there.
 */
const choiceOf = (choice: ErrorObject, inside: readonly ErrorObject[]): SchemaFault[] => {
  const deeper = inside.filter(
    ({ instancePath, keyword }) =>
      instancePath.length > choice.instancePath.length || keyword === 'required' || keyword === 'additionalProperties',
  );
  if (deeper.length > 0) return deeper.map(faultOf);
  const types = inside.filter(({ keyword }) => keyword === 'type').flatMap(({ params }) => [params.type].flat());
  const values = inside
    .filter(({ keyword }) => keyword === 'enum')
    .flatMap(({ params }) => params.allowedValues as unknown[]);
  const other = inside.find(({ keyword }) => keyword !== 'type' && keyword !== 'enum' && !CHOICES.has(keyword));
  const at = choice.instancePath;
  const keyword = choice.keyword === 'chosen' ? 'oneOf' : choice.keyword;
  if (other) return [{ ...faultOf(other), at }];
  const ways = [
    ...(types.length > 0 ? [[...new Set(types)].join(' or ')] : []),
    ...(values.length > 0 ? [`one of ${listed([...new Set(values)])}`] : []),
  ];
  return [
    { at, keyword, message: ways.length > 0 ? `must be ${ways.join(', or ')}` : 'fits none of the forms allowed' },
  ];
};

/** At most 20, each once, in the order found. */
export const faultsOf = (errors: readonly ErrorObject[]): SchemaFault[] => {
  const open: { faults: SchemaFault[]; from: ErrorObject }[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    if (!CHOICES.has(error.keyword)) {
      open.push({ faults: [faultOf(error)], from: error });
      continue;
    }
    // The branches' errors came just before, at this place or under it.
    const under = `${error.instancePath}/`;
    let from = open.length;
    while (from > 0 && belongs((open[from - 1] as { from: ErrorObject }).from, error.instancePath, under)) from--;
    const inside = open.splice(from).map((entry) => entry.from);
    open.push({ faults: choiceOf(error, inside), from: error });
  }
  const byKey = new Map<string, SchemaFault>();
  for (const { faults } of open)
    for (const fault of faults) {
      const key = `${fault.at}\0${fault.message}`;
      if (byKey.size < MOST && !byKey.has(key)) byKey.set(key, fault);
    }
  return [...byKey.values()];
};

const belongs = (error: ErrorObject, at: string, under: string): boolean =>
  error.instancePath === at || error.instancePath.startsWith(under);
