/** The official conformance suite as a program: where it is, how it is run, what it found. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const PACKAGE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
const NODE_MAJOR = 24;

/** Runs a program to its end; `tell` hears its output as it comes. */
export const run = (command, args, { timeoutMs = 300_000, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const hear = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(late);
      resolve({ status, output });
    });
  });

/** The suite in CONFORMANCE_DIR, or installed into `scratch`; and a Node that can run it (CONFORMANCE_NODE, or the folder's own). */
export const findSuite = async (scratch) => {
  const { CONFORMANCE_DIR: given, CONFORMANCE_NODE: node } = process.env;
  const dir = given ?? join(scratch, 'suite');
  const own = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR;
  if (given === undefined) {
    const packages = [`${PACKAGE}@${VERSION}`, ...(own || node ? [] : [`node@${NODE_MAJOR}`])];
    const done = await run('npm', ['i', '--no-audit', '--no-fund', '--prefix', dir, ...packages]);
    if (done.status !== 0) throw new Error(`npm could not install ${packages.join(' and ')}:\n${done.output}`);
  }
  const root = join(dir, 'node_modules', PACKAGE);
  const installed = join(dir, 'node_modules', '.bin', 'node');
  const runner = node ?? (existsSync(installed) ? installed : own ? process.execPath : undefined);
  if (!existsSync(root)) throw new Error(`${PACKAGE} is not in ${dir}: run npm i there, or unset CONFORMANCE_DIR`);
  if (runner === undefined)
    throw new Error(`The suite needs Node ${NODE_MAJOR}: set CONFORMANCE_NODE, or npm i node@${NODE_MAJOR} in ${dir}`);
  return { root, runner };
};

/** What a revision requires of a server, and what the suite runs beside it without counting it, with the reason. */
const requirementsOf = (root, revision) => {
  const { server, not_scored: beside } = parse(readFileSync(join(root, 'requirements', `${revision}.yaml`), 'utf8'));
  const unscored = beside.filter(({ leg }) => leg === 'server').map(({ scenario, reason }) => [scenario, reason]);
  return { required: server, unscored: new Map(unscored) };
};

const isFailing = ({ status }) => status === 'FAILURE' || status === 'WARNING';

/** What failed by scenario, and how many checks passed, from the folders that the suite leaves: `server-<scenario>-<time>`. */
const findings = (folder) => {
  const found = new Map();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) continue;
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'));
    const failing = [...new Set(checks.filter(isFailing).map(({ id }) => id))];
    found.set(scenario, { failing, passed: checks.filter(({ status }) => status === 'SUCCESS').length });
  }
  return found;
};

/**
 * Runs one requirement set. The suite's exit status decides, with its expected failures; beyond it every required scenario must have
 * left its findings, and with `strict` what is run without being scored must pass as well, extensions apart.
 */
export const conform = async ({ root, runner }, { url, revision, expected, folder, strict }) => {
  const cli = join(root, 'dist', 'index.js');
  const args = [cli, 'server', '--url', url, '--requirements', revision, '-o', folder];
  if (expected !== undefined) args.push('--expected-failures', expected);
  const { status, output } = await run(runner, args, { timeoutMs: 300_000 });
  const { required, unscored } = requirementsOf(root, revision);
  const found = findings(folder);
  const failingIn = (scenario) => found.get(scenario)?.failing;
  const failing = required.filter((scenario) => failingIn(scenario)?.length > 0);
  const problems = required.filter((scenario) => !found.has(scenario)).map((scenario) => `${scenario}: did not run`);
  if (status !== 0) problems.push(`the suite ended with ${status}`);
  if (expected === undefined)
    for (const scenario of failing) problems.push(`${scenario}: ${failingIn(scenario).join(', ')}`);
  const extras = [...unscored].filter(([, reason]) => reason !== 'extension').map(([scenario]) => scenario);
  const missed = extras.filter((scenario) => failingIn(scenario)?.length !== 0);
  if (strict)
    for (const scenario of missed) problems.push(`${scenario}: ${failingIn(scenario)?.join(', ') ?? 'did not run'}`);
  const count = (of) => required.reduce((sum, scenario) => sum + (of(found.get(scenario)) ?? 0), 0);
  return {
    passed: required.length - failing.length,
    required: required.length,
    checks: `${count((of) => of?.passed)} + ${count((of) => of?.failing.length)}`,
    extras: `${extras.length - missed.length}/${extras.length}`,
    problems,
    output,
  };
};
