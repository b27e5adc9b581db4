/** Values that a schema takes, drawn by the seed. */
import type { Schemas, View } from '../../src/author/openapi/schema.js';
import { isArray, isObject } from '../../src/author/openapi/unwrap.js';
import type { Json } from '../../src/kit/hash.js';
import type { Rng } from '../../src/kit/rng.js';
import { stringOf } from '../../src/world/seed/pattern.js';

const MAX_DEPTH = 4;

const FORMATS: Record<string, (r: Rng) => string> = {
  date: (r) => `2026-0${r.int(1, 9)}-1${r.int(0, 9)}`,
  'date-time': (r) => `2026-0${r.int(1, 9)}-1${r.int(0, 9)}T0${r.int(0, 9)}:15:00Z`,
  uuid: (r) => `${r.int(10_000_000, 99_999_999)}-1111-4111-8111-${r.int(100_000_000_000, 999_999_999_999)}`,
  email: (r) => `bench${r.int(1, 1_000_000)}@bench.example`,
  uri: (r) => `https://bench.example/${r.int(1, 1_000_000)}`,
  url: (r) => `https://bench.example/${r.int(1, 1_000_000)}`,
  ipv4: (r) => `10.0.${r.int(0, 255)}.${r.int(1, 254)}`,
};

const numberIn = (view: View, key: string): number | undefined => {
  const value = view.facts.get(key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

const textFor = (view: View, name: string, r: Rng): string => {
  const pattern = view.facts.get('pattern');
  const low = numberIn(view, 'minLength') ?? 0;
  const high = numberIn(view, 'maxLength') ?? 10_000;
  if (typeof pattern === 'string') {
    const made = stringOf(pattern, r, low, high);
    if (made !== undefined) return made;
  }
  const format = String(view.facts.get('format') ?? '').toLowerCase();
  const made = FORMATS[format]?.(r) ?? `${name.replace(/\W+/g, '').slice(0, 12)}${r.int(1, 1_000_000)}`;
  return made.padEnd(Math.min(low, 10_000), 'x').slice(0, Math.max(1, high));
};

const numberFor = (view: View, r: Rng): number => {
  const whole = !view.types.has('number');
  const low = numberIn(view, 'minimum') ?? Math.min(1, numberIn(view, 'maximum') ?? 1);
  const high = Math.max(low, Math.min(numberIn(view, 'maximum') ?? low + 1000, low + 1000));
  const value = low + (high - low) * r.unit();
  return whole
    ? Math.min(high, Math.ceil(value))
    : Math.round(value * 4) / 4 < low
      ? low
      : Math.min(high, Math.round(value * 4) / 4);
};

/** Undefined where nothing sensible can be made. Read-only properties are left out, as a caller leaves them out. */
export const valueFor = (schema: unknown, name: string, schemas: Schemas, r: Rng, depth = 0): Json | undefined => {
  const view = schemas.view(schema);
  if (isObject(view)) {
    if (depth >= MAX_DEPTH) return undefined;
    const out: { [key: string]: Json } = {};
    for (const [key, raw] of view.properties) {
      const inner = schemas.view(raw);
      if (inner.readOnly || (depth > 1 && !view.required.has(key) && isObject(inner))) continue;
      const value = valueFor(raw, key, schemas, r, depth + 1);
      if (value !== undefined) out[key] = value;
    }
    return out;
  }
  if (isArray(view)) {
    const item = view.items === undefined ? `${name}1` : valueFor(view.items, name, schemas, r, depth + 1);
    return item === undefined ? [] : [item];
  }
  const listed = view.enum?.filter((one) => one !== null && one !== '');
  if (listed && listed.length > 0) return r.pick(listed) as Json;
  if (view.types.has('string')) return textFor(view, name, r);
  if (view.types.has('boolean')) return r.unit() < 0.5;
  if (view.types.has('integer') || view.types.has('number')) return numberFor(view, r);
  if (view.types.has('object')) return {};
  return view.types.size === 0 ? textFor(view, name, r) : undefined;
};
