/** The public names and their types: what a user of the package may lean on. */
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as testing from '../src/fake/testing/testing.js';
import * as treadle from '../src/index.js';
import {
  addressOf,
  type Certificate,
  type Check,
  callerOf,
  type Engine,
  gather,
  generateTasks,
  type LedgerEntry,
  type LoadedWorld,
  loadWorld,
  type Policy,
  referencePolicy,
  rolloutTask,
  type ServiceSpec,
  Session,
  type SessionTool,
  type Task,
  type ToolHost,
  type Trace,
  TreadleError,
  type Verdict,
  verify,
  type WorldSpec,
} from '../src/index.js';

it('the names are these', () => {
  expect(Object.keys(treadle).sort()).toMatchInlineSnapshot(`
    [
      "Corpus",
      "Engine",
      "NOUNS",
      "Session",
      "SessionServer",
      "State",
      "TreadleError",
      "addressOf",
      "assembleWorld",
      "authorFromBrief",
      "authorFromDocument",
      "behaviourOf",
      "callerOf",
      "canonicalJson",
      "cassette",
      "certifyService",
      "certifyWorld",
      "compileService",
      "diffStates",
      "endpoint",
      "eventWeaver",
      "exportSft",
      "folderBlobs",
      "gate",
      "gather",
      "generateTasks",
      "gymRow",
      "inProcess",
      "loadWorld",
      "mcpHandler",
      "modelPolicy",
      "nothingPolicy",
      "noticeText",
      "openRegistry",
      "parseArtifact",
      "placeDocument",
      "publishCorpus",
      "referencePolicy",
      "rewardOf",
      "rolloutMany",
      "rolloutTask",
      "scriptedPolicy",
      "serveHttp",
      "serveMegaMcp",
      "serveStdio",
      "sessionDirectory",
      "unloadWorld",
      "verify",
    ]
  `);
});

it('the names for tests are these', () => {
  expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
    [
      "assertCalled",
      "assertNoRow",
      "assertNotCalled",
      "assertRow",
      "assertRows",
      "assertSent",
      "matchers",
      "startWorld",
    ]
  `);
});

it('index.ts is explicit and short', () => {
  const text = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(60);
  expect(text).not.toMatch(/export \*/);
});

it('the package says where they are', () => {
  const { exports, bin, files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(exports['.']).toEqual({ types: './dist/index.d.ts', default: './dist/index.js' });
  for (const [name, file] of [
    ['./testing', './dist/fake/testing/testing'],
    ['./testing/vitest', './dist/fake/testing/vitest'],
  ] as const)
    expect(exports[name]).toEqual({ types: `${file}.d.ts`, default: `${file}.js` });
  expect(bin.treadle).toBe('dist/cli/main.js');
  expect(files).toEqual(expect.arrayContaining(['dist', 'data', 'schemas']));
});

describe('the types', () => {
  it('worlds and sessions', () => {
    expectTypeOf(loadWorld).parameter(0).toEqualTypeOf<Engine>();
    expectTypeOf(loadWorld).returns.toEqualTypeOf<LoadedWorld>();
    expectTypeOf<LoadedWorld['spec']>().toEqualTypeOf<WorldSpec>();
    expectTypeOf<Session>().toExtend<ToolHost>();
    expectTypeOf(Session.open).returns.toEqualTypeOf<Session>();
    expectTypeOf<ReturnType<Session['tools']>>().toEqualTypeOf<SessionTool[]>();
    expectTypeOf<Session['ledger']>().toEqualTypeOf<readonly LedgerEntry[]>();
    expectTypeOf(callerOf).toBeCallableWith({ name: 'Ada', email: 'ada@x.example' });
  });

  it('rollouts and verdicts', () => {
    expectTypeOf(referencePolicy).parameter(0).toEqualTypeOf<Task>();
    expectTypeOf(referencePolicy).returns.toEqualTypeOf<Policy>();
    expectTypeOf(rolloutTask).returns.resolves.toEqualTypeOf<Trace>();
    expectTypeOf(verify).returns.toEqualTypeOf<Verdict>();
    expectTypeOf(gather).parameter(1).toEqualTypeOf<string>();
    expectTypeOf(generateTasks).parameter(0).toEqualTypeOf<LoadedWorld>();
  });

  it('artifacts', () => {
    expectTypeOf<Task['treadle']>().toEqualTypeOf<'task/1'>();
    expectTypeOf<ServiceSpec['treadle']>().toEqualTypeOf<'service/1'>();
    expectTypeOf<Certificate['pass']>().toEqualTypeOf<boolean>();
    expectTypeOf<Check['kind']>().toEqualTypeOf<
      | 'exists'
      | 'absent'
      | 'equals'
      | 'not_equals'
      | 'count'
      | 'unchanged'
      | 'returned'
      | 'answer'
      | 'file'
      | 'invariant'
    >();
    expectTypeOf(addressOf).returns.toEqualTypeOf<string>();
    expectTypeOf(new TreadleError({ code: 'x', message: 'y' }).next).toEqualTypeOf<string | undefined>();
  });
});
