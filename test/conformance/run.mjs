/**
 * The official MCP conformance suite, both requirement sets, against the fixture (everything passes) and against a built world
 * (what only a server of more than tools can pass is expected to fail, and nothing else).
 *
 *   node test/conformance/run.mjs [corpus]
 *
 * Needs a build (dist/). Without a corpus one is built into a temporary folder. Installs the suite and a Node 24 with npm, unless
 * CONFORMANCE_DIR holds them (and CONFORMANCE_NODE names a Node that is elsewhere). Exit status 1 when anything is not as expected.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenProxy } from './proxy.mjs';
import { conform, findSuite, run } from './suite.mjs';

const REVISIONS = ['2026-07-28', '2025-11-25'];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here('../../dist/cli/main.js');

/** Starts a server that prints one JSON value when it listens; gives that value and how to stop it. */
const start = (args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((done) => child.once('close', done));
    let heard = '';
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args[0]} did not start within a minute`));
    }, 60_000);
    child.stdout.on('data', (chunk) => {
      heard += chunk;
      let said;
      try {
        said = JSON.parse(heard);
      } catch {
        return;
      }
      clearTimeout(late);
      const stop = async () => {
        child.kill('SIGTERM');
        const stuck = setTimeout(() => child.kill('SIGKILL'), 10_000);
        await ended;
        clearTimeout(stuck);
      };
      resolve({ said, stop });
    });
    child.once('close', (status) => {
      clearTimeout(late);
      reject(new Error(`${args[0]} ended with ${status}`));
    });
  });

const fixture = async () => {
  const { said, stop } = await start([here('./fixture-server.mjs')]);
  return { name: 'fixture', url: said.url, strict: true, expected: () => undefined, stop };
};

const world = async (scratch) => {
  let [corpus] = process.argv.slice(2);
  if (corpus === undefined) {
    corpus = join(scratch, 'corpus');
    const document = here('../fixtures/documents/billing.yaml');
    const built = await run(process.execPath, [MAIN, 'build', document, '--tasks', '2', '--out', corpus, '--json']);
    if (built.status !== 0) throw new Error(`No world could be built:\n${built.output}`);
  }
  const { said, stop } = await start([MAIN, 'serve', corpus, '--json']);
  const proxy = await tokenProxy(said.url, said.sessions[0].token);
  return {
    name: `world ${said.world ?? ''}`.trim(),
    url: proxy.url,
    strict: false,
    expected: (revision) => here(`./tools-only-${revision}.yml`),
    stop: async () => {
      proxy.close();
      await stop();
    },
  };
};

const row = (cells) =>
  console.log(
    cells
      .map((cell, i) => String(cell).padEnd([32, 12, 12, 20, 14, 0][i]))
      .join('')
      .trimEnd(),
  );

const scratch = mkdtempSync(join(tmpdir(), 'treadle-conformance-'));
let isSound = true;
try {
  const suite = await findSuite(scratch);
  row(['server', 'revision', 'scenarios', 'checks ok + failing', 'not scored', 'as expected']);
  for (const open of [fixture, world]) {
    const { name, url, strict, expected, stop } = await open(scratch);
    try {
      for (const revision of REVISIONS) {
        const folder = join(scratch, `${open.name}-${revision}`);
        const outcome = await conform(suite, { url, revision, expected: expected(revision), folder, strict });
        const { passed, required, checks, extras, problems, output } = outcome;
        row([name, revision, `${passed}/${required}`, checks, extras, problems.length === 0 ? 'yes' : 'NO']);
        if (problems.length === 0) continue;
        isSound = false;
        console.log(output.slice(output.indexOf('=== SUMMARY ===')));
        for (const problem of problems) console.log(`  ${problem}`);
      }
    } finally {
      await stop();
    }
  }
} catch (thrown) {
  isSound = false;
  console.error(`conformance: ${thrown.message}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = isSound ? 0 : 1;
