/** Compiled schemas: one at a time, when a value reaches it, kept until there are too many. */
import { createRequire } from 'node:module';
import type { AnySchema, ErrorObject, SchemaValidateFunction, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalJson } from '../../kit/hash.js';
import { isNode, type Node } from '../node.js';
import { type Rewriting, rewrite } from './rewrite.js';

/** Compiled schemas that are kept; then all go, and those still in use come back on their next value. */
const KEPT = 4_000;
/** Schemas that one value may pass through: documents of allOf upon allOf would never end. */
const STEPS = 1_000_000;
/** Texts longer than this are not held against patterns, whose time may grow with the square of it. */
const LONGEST_FOR_PATTERN = 20_000;

export interface Checker {
  /** Errors as ajv has them; empty where the value fits. */
  run(schema: Node, value: unknown): ErrorObject[];
}

interface Chosen {
  property: string;
  branches: Map<string, number>;
  otherwise: number[];
}

/** A repeat inside a repeat, `(a+)+`, may take time that doubles with each character; such patterns see short texts only. */
const REPEATED_TWICE = /[+*}][^()]*\)(?:[+*]|\{\d+,)/;
const LONGEST_FOR_SLOW = 24;

const patternOf = (text: string): RegExp => {
  let pattern: RegExp;
  try {
    pattern = new RegExp(text, 'u');
  } catch {
    pattern = new RegExp(text);
  }
  const test = pattern.test.bind(pattern);
  const longest = REPEATED_TWICE.test(text) ? LONGEST_FOR_SLOW : LONGEST_FOR_PATTERN;
  pattern.test = (value: string) => value.length > longest || test(value);
  return pattern;
};
const regExp = Object.assign(patternOf, { code: 'new RegExp' });

const isDistinct = (items: readonly unknown[]): boolean => {
  const seen = new Set<unknown>();
  for (const item of items) seen.add(typeof item === 'object' && item !== null ? canonicalJson(item) : item);
  return seen.size === items.length;
};

type Place = { instancePath: string; parentData: unknown; parentDataProperty: unknown; rootData: unknown };

const FITS: ErrorObject[] = [];

const require = createRequire(import.meta.url);

/** Loaded when the first value is checked, not before: it takes a tenth of a second. */
const newAjv = (allErrors: boolean): Ajv2020 => {
  const loaded = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  const ajv = new loaded.Ajv2020({
    allErrors,
    strict: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    logger: false,
    multipleOfPrecision: 9,
    code: { regExp, optimize: false },
  });
  formats.default(ajv, { mode: 'fast' });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    error: { message: 'must not hold the same item twice' },
    validate: (wanted: boolean, items: unknown[]) => !wanted || isDistinct(items),
  });
  return ajv;
};

/** Formats whose check is known; the others say nothing. */
const formatsOf = (ajv: Ajv2020): ReadonlySet<string> =>
  new Set(Object.keys(ajv.formats).filter((name) => !['time', 'regex', 'binary', 'byte', 'password'].includes(name)));

/** `how` without what the checker itself knows. */
export const checkerOf = (how: Omit<Rewriting, 'later' | 'formats'>, allErrors: boolean, kept = KEPT): Checker => {
  const numbers = { whole: new Map<Node, number>(), part: new Map<Node, number>() };
  const schemas: { schema: Node; isPart: boolean }[] = [];
  let compiled = new Map<number, ValidateFunction | undefined>();
  let ajv: Ajv2020 | undefined;
  let formats: ReadonlySet<string> | undefined;
  /** Schemas entered and not left, with where: one met again at the same place goes round in a circle. */
  const entered: { schema: number; at: string }[] = [];
  let steps = 0;

  const later = (schema: Node, isPart = false): number => {
    const known = numbers[isPart ? 'part' : 'whole'].get(schema);
    if (known !== undefined) return known;
    numbers[isPart ? 'part' : 'whole'].set(schema, schemas.length);
    return schemas.push({ schema, isPart }) - 1;
  };

  const compile = (number: number): ValidateFunction | undefined => {
    const { schema, isPart } = schemas[number] as { schema: Node; isPart: boolean };
    ajv ??= withKeywords();
    formats ??= formatsOf(ajv);
    try {
      const written = rewrite(schema, { ...how, later, formats }, 0, isPart) as AnySchema;
      const check = ajv.compile(written);
      if (isNode(written)) ajv.removeSchema(written);
      return check;
    } catch (thrown) {
      how.note(`the schema cannot be compiled: ${thrown instanceof Error ? thrown.message : String(thrown)}`, schema);
      return undefined;
    }
  };

  const enter = (number: number, value: unknown, place: Place | undefined): ErrorObject[] => {
    const at = place?.instancePath ?? '';
    for (const one of entered) if (one.schema === number && one.at === at) return FITS;
    if (++steps > STEPS) {
      if (steps === STEPS + 1) how.note('too many schemas hold for one value', schemas[number]?.schema ?? {});
      return [];
    }
    if (!compiled.has(number)) {
      if (compiled.size >= kept) {
        compiled = new Map();
        ajv = undefined;
      }
      compiled.set(number, compile(number));
    }
    const check = compiled.get(number);
    if (!check) return FITS;
    entered.push({ schema: number, at });
    const fits = check.call(undefined, value, place as never) as boolean;
    entered.pop();
    return fits ? FITS : [...(check.errors ?? [])];
  };

  const keyword = (run: (schema: never, value: unknown, place: Place) => ErrorObject[]): SchemaValidateFunction => {
    const validate: SchemaValidateFunction = (schema, value, _parent, place) => {
      const errors = run(schema as never, value, place as Place);
      validate.errors = errors;
      return errors.length === 0;
    };
    return validate;
  };

  const anyOf = (numbersOf: readonly number[], value: unknown, place: Place): ErrorObject[] => {
    const errors: ErrorObject[] = [];
    for (const number of numbersOf) {
      const found = enter(number, value, place);
      if (found.length === 0) return [];
      errors.push(...found.slice(0, 50));
    }
    return [
      ...errors,
      {
        keyword: 'chosen',
        instancePath: place.instancePath,
        schemaPath: '',
        params: {},
        message: 'fits none of the forms',
      },
    ];
  };

  const choose = ({ property, branches, otherwise }: Chosen, value: unknown, place: Place): ErrorObject[] => {
    const named = isNode(value) && Object.hasOwn(value, property) ? value[property] : undefined;
    const branch = typeof named === 'string' ? branches.get(named) : undefined;
    return branch === undefined ? anyOf(otherwise, value, place) : enter(branch, value, place);
  };

  const withKeywords = (): Ajv2020 => {
    const made = newAjv(allErrors);
    made.addKeyword({
      keyword: 'later',
      errors: 'full',
      validate: keyword((number: number, value, place) => enter(number, value, place)),
    });
    made.addKeyword({ keyword: 'chosen', errors: 'full', validate: keyword(choose as never) });
    return made;
  };

  return {
    run: (schema, value) => {
      steps = 0;
      entered.length = 0;
      return enter(later(schema), value, undefined);
    },
  };
};
