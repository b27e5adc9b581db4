/** `import 'treadle/testing/vitest'`: the matchers on vitest's `expect`, with their types. */
import { expect } from 'vitest';
import { matchers, type WorldMatchers } from './match/matchers.js';

declare module 'vitest' {
  interface Assertion<T> extends WorldMatchers<T> {}
  interface AsymmetricMatchersContaining extends WorldMatchers {}
}

expect.extend(matchers);
