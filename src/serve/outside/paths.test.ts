import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_PATHS, pathsOf } from './paths.js';

const paths = pathsOf('/srv/s+1/$&/a');

it.each([
  ['/srv/s+1/$&/a', '/workspace'],
  ['/srv/s+1/$&/a/b.txt', '/workspace/b.txt'],
  ['in file:///srv/s+1/$&/a/b, twice: /srv/s+1/$&/a.', 'in file:///workspace/b, twice: /workspace.'],
  ['/srv/s+1/$&/ab and /srv/s+1/$&/a-b', '/srv/s+1/$&/ab and /srv/s+1/$&/a-b'],
  ['/srv/ss1/$&/a', '/srv/ss1/$&/a'],
])('shows %s as %s', (real, shown) => {
  expect(paths.hide(real)).toBe(shown);
});

it('maps keys and nested texts of results, and whole paths of arguments', () => {
  expect(paths.hideAll({ '/srv/s+1/$&/a/k': [{ at: '/srv/s+1/$&/a' }, 1, null, true] })).toEqual({
    '/workspace/k': [{ at: '/workspace' }, 1, null, true],
  });
  expect(
    paths.revealAll(['/workspace', '/workspace/../x', 'file:///workspace/y', '/workspaces', 'cd /workspace']),
  ).toEqual(['/srv/s+1/$&/a', '/srv/s+1/$&/a/../x', 'file:///srv/s+1/$&/a/y', '/workspaces', 'cd /workspace']);
});

it('what an agent was shown leads back to where it was', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[\w.-]{1,8}$/)), (parts) => {
      const real = ['/srv/s+1/$&/a', ...parts].join('/');
      expect(paths.revealAll(paths.hide(real))).toBe(real);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value));
      expect(paths.hideAll(json)).toEqual(json);
      expect(NO_PATHS.revealAll(json)).toBe(json);
    }),
  );
});
