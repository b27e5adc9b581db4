import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaceOperation } from '../types.js';
import { pathsOf, requestOf, serviceOf } from './request.fixture.js';
import { routerOf } from './router.js';
import { fill, fixedLength, segmentOf } from './template.js';

const routes = (...labels: string[]) => serviceOf(pathsOf(labels)).router;

/** Label and the texts in the holes, the methods allowed, or undefined. */
const found = (router: ReturnType<typeof routes>, method: string, path: string): unknown => {
  const hit = router.find(method, path);
  if (!hit) return undefined;
  return 'allow' in hit ? hit.allow : [hit.operation.http.label, Object.fromEntries(hit.params)];
};

describe('routerOf', () => {
  it('prefers fixed text to patterns, more of it to less, and patterns to whole holes', () => {
    const router = routes('GET /a/{x}', 'GET /a/me', 'GET /a/{x}.json', 'GET /a/{x}.list.json', 'GET /a/b-{x}.json');
    expect(found(router, 'GET', '/a/me')).toEqual(['GET /a/me', {}]);
    expect(found(router, 'GET', '/a/you')).toEqual(['GET /a/{x}', { x: 'you' }]);
    expect(found(router, 'GET', '/a/q.json')).toEqual(['GET /a/{x}.json', { x: 'q' }]);
    expect(found(router, 'GET', '/a/q.list.json')).toEqual(['GET /a/{x}.list.json', { x: 'q' }]);
    expect(found(router, 'GET', '/a/b-q.json')).toEqual(['GET /a/b-{x}.json', { x: 'q' }]);
    expect(found(router, 'GET', '/a/.json')).toEqual(['GET /a/{x}', { x: '.json' }]);
    expect(found(router, 'GET', '/a/')).toBeUndefined();
  });

  it('fills several holes in a segment, and colon verbs', () => {
    const router = routes('GET /{owner}:{repo}', 'GET /r/{a}.{b}', 'POST /items/{id}:cancel', 'POST /items/{id}');
    expect(found(router, 'GET', '/me:it')).toEqual(['GET /{owner}:{repo}', { owner: 'me', repo: 'it' }]);
    const endings = routes('GET /p/{id}{ext}');
    expect(found(endings, 'GET', '/p/a.b.json')).toEqual(['GET /p/{id}{ext}', { id: 'a.b', ext: '.json' }]);
    expect(found(endings, 'GET', '/p/ab')).toEqual(['GET /p/{id}{ext}', { id: 'a', ext: 'b' }]);
    expect(found(endings, 'GET', '/p/a')).toBeUndefined();
    expect(found(router, 'GET', '/r/x.y.z')).toEqual(['GET /r/{a}.{b}', { a: 'x', b: 'y.z' }]);
    expect(found(router, 'POST', '/items/7:cancel')).toEqual(['POST /items/{id}:cancel', { id: '7' }]);
    expect(found(router, 'POST', '/items/7%3Acancel')).toEqual(['POST /items/{id}:cancel', { id: '7' }]);
    expect(found(router, 'POST', '/items/7:stop')).toEqual(['POST /items/{id}', { id: '7:stop' }]);
  });

  it('tells paths with a query or a fragment apart by what the request says', () => {
    const { find } = serviceOf(
      pathsOf(['POST /x?action=y', 'POST /x?action=z', 'POST /#Action=List', 'GET /w?city={city}']),
    );
    const label = (...args: Parameters<typeof requestOf>): unknown => {
      const hit = find(requestOf(...args));
      return hit && 'operation' in hit ? [hit.operation.http.label, ...hit.params] : hit;
    };
    expect(label('POST', '/x?action=z')).toEqual(['POST /x?action=z']);
    expect(label('POST', '/x?b=1&action=y')).toEqual(['POST /x?action=y']);
    expect(label('POST', '/x?action=q')).toBeUndefined();
    expect(label('POST', '/', { type: 'application/x-www-form-urlencoded', body: 'Action=List' })).toEqual([
      'POST /#Action=List',
    ]);
    expect(label('POST', '/', { headers: { action: 'List' } })).toEqual(['POST /#Action=List']);
    expect(label('GET', '/w?city=Bern%20West')).toEqual(['GET /w?city={city}', ['city', 'Bern West']]);
  });

  it('takes the first of paths that collide and names the others', () => {
    const router = routes('GET /a/{x}', 'GET /a/{y}', 'PUT /a/{y}');
    expect(found(router, 'GET', '/a/1')).toEqual(['GET /a/{x}', { x: '1' }]);
    expect(found(router, 'PUT', '/a/1')).toEqual(['PUT /a/{y}', { y: '1' }]);
    expect(router.collisions()).toEqual([{ operation: 'GET /a/{y}', hiddenBy: 'GET /a/{x}' }]);
  });

  it('takes a closing slash or none, the exact one first', () => {
    const router = routes('GET /a', 'GET /b/', 'GET /c', 'GET /c/');
    expect(found(router, 'GET', '/a/')).toEqual(['GET /a', {}]);
    expect(found(router, 'GET', '/b')).toEqual(['GET /b/', {}]);
    expect(found(router, 'GET', '/c/')).toEqual(['GET /c/', {}]);
    expect(found(router, 'GET', '/c')).toEqual(['GET /c', {}]);
    expect(found(router, 'GET', '//a')).toBeUndefined();
  });

  it('decodes holes, keeps slashes that were encoded, and does not know broken encodings', () => {
    const router = routes('GET /f/{path}', 'GET /users/@me', 'GET /a%20b');
    expect(found(router, 'GET', '/f/a%2Fb')).toEqual(['GET /f/{path}', { path: 'a/b' }]);
    expect(found(router, 'GET', '/users/%40me')).toEqual(['GET /users/@me', {}]);
    expect(found(router, 'GET', '/a%20b')).toEqual(['GET /a%20b', {}]);
    expect(found(router, 'GET', '/f/%')).toBeUndefined();
    expect(found(router, 'GET', '/f/%ff')).toBeUndefined();
    expect(found(router, 'GET', '/F/a')).toBeUndefined();
  });

  it('allows what it knows', () => {
    const router = routes('GET /a/{x}', 'DELETE /a/me', 'HEAD /b', 'OPTIONS /b', 'PUT /c');
    expect(found(router, 'POST', '/a/me')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS']);
    expect(found(router, 'DELETE', '/a/you')).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect(found(router, 'HEAD', '/a/you')).toEqual(['GET /a/{x}', { x: 'you' }]);
    expect(found(router, 'HEAD', '/b')).toEqual(['HEAD /b', {}]);
    expect(found(router, 'OPTIONS', '/b')).toEqual(['OPTIONS /b', {}]);
    expect(found(router, 'OPTIONS', '/c')).toEqual(['OPTIONS', 'PUT']);
    expect(found(router, 'HEAD', '/c')).toEqual(['OPTIONS', 'PUT']);
    expect(found(router, 'GET', '/nowhere')).toBeUndefined();
    expect(found(router, 'GET', '')).toBeUndefined();
  });

  it('takes bases off, the longest first, variables as any segment', () => {
    const operations = [...'ab'].map((name) => operation(`GET /${name}`));
    const router = routerOf(
      [...operations, operation('GET /'), operation('GET /v1/c')],
      ['/v1', '/v1/api', '/{tenant}/x', ''],
    );
    expect(found(router, 'GET', '/v1/a')).toEqual(['GET /a', {}]);
    expect(found(router, 'GET', '/v1/api/b')).toEqual(['GET /b', {}]);
    expect(found(router, 'GET', '/t7/x/b')).toEqual(['GET /b', {}]);
    expect(found(router, 'GET', '/a')).toEqual(['GET /a', {}]);
    expect(found(router, 'GET', '/v1/c')).toEqual(['GET /v1/c', {}]);
    expect(found(router, 'GET', '/v1')).toEqual(['GET /', {}]);
    expect(found(router, 'GET', '/v1x/a')).toBeUndefined();
  });

  it('takes the path that fits the query best where none of them needs a value', () => {
    const { find } = serviceOf(
      pathsOf(['GET /users#maxResults', 'GET /f?city={city}', 'GET /f?code={code}&country={c}']),
    );
    const label = (target: string): unknown => {
      const hit = find(requestOf('GET', target));
      return hit && 'operation' in hit ? hit.operation.http.label : hit;
    };
    expect(label('/users')).toBe('GET /users#maxResults');
    expect(label('/users?maxResults=1')).toBe('GET /users#maxResults');
    expect(label('/f?code=1&country=2')).toBe('GET /f?code={code}&country={c}');
    expect(label('/f?city=1')).toBe('GET /f?city={city}');
  });

  it('lets holes take slashes where the document means so, when nothing else fits', () => {
    const root = pathsOf([
      'GET /v1/{name}',
      'POST /v1/{name}:cancel',
      'GET /v1/{parent}/jobs',
      'GET /repos/{repo}/c/{path}',
    ]);
    const item = (root.paths as Record<string, Record<string, unknown>>)['/repos/{repo}/c/{path}'] as Record<
      string,
      unknown
    >;
    item.parameters = [
      { name: 'path', in: 'path', required: true, schema: { type: 'string' }, 'x-multi-segment': true },
    ];
    const { router } = serviceOf(root);
    expect(found(router, 'GET', '/v1/projects/p/jobs/7')).toEqual(['GET /v1/{name}', { name: 'projects/p/jobs/7' }]);
    expect(found(router, 'GET', '/v1/projects/p/jobs')).toEqual(['GET /v1/{parent}/jobs', { parent: 'projects/p' }]);
    expect(found(router, 'POST', '/v1/projects/p:cancel')).toEqual(['POST /v1/{name}:cancel', { name: 'projects/p' }]);
    expect(found(router, 'GET', '/repos/r/c/a/b.md')).toEqual([
      'GET /repos/{repo}/c/{path}',
      { repo: 'r', path: 'a/b.md' },
    ]);
    expect(found(router, 'GET', '/repos/r/s/c/a')).toBeUndefined();
  });

  it('lets wild holes take slashes', () => {
    const router = routes('GET /files/{path+}', 'POST /v1/{+name}:cancel', 'GET /files/{id}/meta', 'GET /p/{rest*}');
    expect(found(router, 'GET', '/files/a/b/c')).toEqual(['GET /files/{path+}', { path: 'a/b/c' }]);
    expect(found(router, 'GET', '/files/a/meta')).toEqual(['GET /files/{id}/meta', { id: 'a' }]);
    expect(found(router, 'POST', '/v1/projects/p/jobs/7:cancel')).toEqual([
      'POST /v1/{+name}:cancel',
      { name: 'projects/p/jobs/7' },
    ]);
    expect(found(router, 'GET', '/p/a%2Fb/c')).toEqual(['GET /p/{rest*}', { rest: 'a/b/c' }]);
  });
});

const operation = (label: string): FaceOperation => {
  const [method = '', path = ''] = label.split(' ');
  return { http: { method: method.toLowerCase(), path, label } } as unknown as FaceOperation;
};

describe('against a matcher that tries every template', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', '{x}', '{x}', '{x}.{y}', 'a{x}', '{x}:go', '{x}b');
  const template = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  const said = fc.array(fc.constantFrom('a', 'b', 'ab', 'c', 'a.b', 'b:go', 'aab', 'a:go'), {
    minLength: 1,
    maxLength: 4,
  });

  /** A text that sorts as the segment ranks: fixed before others, then much fixed text, few holes, any order. */
  const rank = (text: string): string => {
    const segment = segmentOf(text);
    const length = segment.holes.length === 0 ? 999 : fixedLength(segment);
    return [999 - length, segment.holes.length, segment.fixed.join('\0')]
      .map((part) => String(part).padStart(3, '0'))
      .join(' ');
  };
  const ranks = (path: string): string[] => path.slice(1).split('/').map(rank);
  const naive = (paths: readonly string[], asked: readonly string[]): string[] | undefined =>
    paths
      .map((path) => path.slice(1).split('/'))
      .filter((parts) => parts.length === asked.length)
      .filter((parts) => parts.every((part, i) => fill(segmentOf(part).fixed, asked[i] as string)))
      .map((parts) => ranks(`/${parts.join('/')}`))
      .sort((a, b) => (a.join('/') < b.join('/') ? -1 : 1))[0];

  it('finds one of the same rank, or none where there is none', () => {
    fc.assert(
      fc.property(fc.uniqueArray(template, { maxLength: 12 }), said, (paths, asked) => {
        const router = routerOf(
          paths.map((path) => operation(`GET ${path}`)),
          [],
        );
        const hit = router.find('GET', `/${asked.join('/')}`);
        const label = hit && 'operation' in hit ? hit.operation.http.path : undefined;
        expect(label === undefined ? undefined : ranks(label)).toEqual(naive(paths, asked));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever is asked', () => {
    const router = routes('GET /a/{x}', 'GET /{x}.{y}', 'GET /{x+}/z', 'POST /?a={b}', 'GET /{x');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.string(), (path, method) => {
        router.find(method, path, () => path);
        router.find('GET', `/${path}`);
      }),
    );
  });

  it('holds ten thousand operations', () => {
    const operations = Array.from({ length: 10_000 }, (_, i) =>
      operation(`GET /s${i % 100}/{a}/t${Math.floor(i / 100)}/{b}`),
    );
    const router = routerOf(operations, ['']);
    expect(found(router, 'GET', '/s42/x/t17/y')).toEqual(['GET /s42/{a}/t17/{b}', { a: 'x', b: 'y' }]);
    expect(router.collisions()).toEqual([]);
  });
});
