/** treadle doctor: whether a machine can hold so many sessions, and what a running server takes. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { TreadleError } from '../../errors.js';
import { harnessDir } from '../../rollout/harness/found.js';
import type { OpenedSession } from '../../serve/api.js';
import { connect, type RemoteTrainer } from '../../serve/client/client.js';
import { type CallingStep, callMore, targetsOf } from '../../serve/client/load/calling.js';
import { findings, isWell, type Measured, sessionKiB } from '../../serve/client/load/findings.js';
import { checkMachine, type MachineCheck } from '../../serve/client/load/machine.js';
import { closeAll, openable, openMany } from '../../serve/client/load/opening.js';
import { type DataCheck, examineData } from '../../serve/durable/examine.js';
import { shortText, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit.js';
import { jsonOption } from '../options.js';
import { adminToken } from '../serving/admin-token.js';
import { makeUi, type Ui } from '../ui.js';
import { harnessLines, harnessLineText } from './harness.js';

interface Options {
  sessions: number;
  against?: string;
  token?: string;
  data?: string;
  blobs?: string;
  calls: number;
  json?: boolean;
}

/** Aborted by the first Ctrl-C; what is under way is finished and closed. The second one ends the process. */
const onStop = (ui: Ui): { signal: AbortSignal; end(): void } => {
  const asked = new AbortController();
  const hear = (): void => {
    if (asked.signal.aborted) process.exit(EXIT.interrupted);
    asked.abort();
    ui.step('Closing the sessions it opened; once more to leave them.');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, hear);
  return {
    signal: asked.signal,
    end: () => {
      for (const signal of signals) process.off(signal, hear);
    },
  };
};

const showStep = (ui: Ui, { concurrency, perSecond, ms, failed }: CallingStep): void => {
  const wrong = failed > 0 ? ui.style('red', `  ${failed} failed`) : '';
  ui.say(
    `  ${String(concurrency).padStart(4)} at once  ${String(perSecond).padStart(7)} calls/s  p50 ${ms.p50}  p95 ${ms.p95}  p99 ${ms.p99} ms${wrong}`,
  );
};

const measure = async (
  client: RemoteTrainer,
  options: Options,
  stop: AbortSignal,
  ui: Ui,
): Promise<Measured & { left: number }> => {
  const before = await client.info();
  const requests = await openable(client);
  const run = `doctor-${randomUUID()}`;
  const held: OpenedSession[] = [];
  try {
    // A refusal is a finding: it is not waited for.
    const hasty = connect({ url: options.against!, token: adminToken(options.token), retry: { retries: 0 } });
    const hold = (session: OpenedSession): void => {
      held.push(session);
      ui.progress(`${held.length} of ${options.sessions} sessions open`);
    };
    const opening = await openMany({ trainer: hasty, requests, count: options.sessions, run, stop, hold });
    hasty.disconnect();
    const targets = stop.aborted ? [] : await targetsOf(client, held);
    const onStep = (step: CallingStep): void => showStep(ui, step);
    const calling = targets.length > 0 ? await callMore({ targets, calls: options.calls, stop, onStep }) : [];
    const after = await client.info();
    const left = await closeAll(client, held, run);
    return { before, after, opening, calling, left };
  } catch (thrown) {
    await closeAll(client, held, run);
    throw thrown;
  }
};

const showMachine = (ui: Ui, checks: readonly (MachineCheck | DataCheck)[]): void => {
  for (const { what, value, ok, next } of checks)
    ui.say(
      `${ok ? ui.style('green', 'ok') : ui.style('red', 'no')}  ${what.padEnd(10)} ${value}${next ? `. ${next}` : ''}`,
    );
};

const interrupted = (left: number): TreadleError =>
  new TreadleError({
    code: 'interrupted',
    message:
      left === 0 ? 'Interrupted: the sessions it opened are closed' : `Interrupted: ${left} sessions are still open`,
  });

const examine = async (options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  const machine = checkMachine(options.sessions);
  showMachine(ui, machine);
  if (options.against === undefined) {
    const data = options.data === undefined ? undefined : await examineData(resolve(options.data), options.blobs);
    if (data) showMachine(ui, data);
    const well = isWell(machine) && (data ?? []).every(({ ok }) => ok);
    const harnesses = await harnessLines(harnessDir());
    for (const line of harnesses) ui.say(ui.style('dim', `    ${line.id.padEnd(12)} ${harnessLineText(line)}`));
    ui.give({ machine, ...(data ? { data } : {}), harnesses, ok: well });
    ui.say(
      well
        ? `This machine can hold the connections of ${options.sessions} sessions. Ask a running server with --against.`
        : data?.some(({ ok }) => !ok)
          ? 'The data folder cannot keep sessions as it is.'
          : `This machine cannot hold ${options.sessions} sessions as it is.`,
    );
    if (!well) process.exitCode = EXIT.failed;
    return;
  }
  const stop = onStop(ui);
  const client = connect({
    url: options.against,
    token: adminToken(options.token),
    retry: { retries: 2, longestMs: 500 },
  });
  try {
    const { left, ...measured } = await measure(client, options, stop.signal, ui);
    if (stop.signal.aborted) throw interrupted(left);
    const says = findings(measured);
    if (left > 0)
      says.push(`${left} sessions could not be closed; the server closes them when they were idle for long.`);
    const { before, after, opening, calling } = measured;
    const ok = isWell(machine, measured) && left === 0;
    const memory = { beforeMiB: before.rssMiB, afterMiB: after.rssMiB, sessionKiB: sessionKiB(measured) };
    ui.give({ machine, server: before, opening, calling, memory, left, says, ok });
    for (const line of says) ui.say(line);
    if (!ok) process.exitCode = EXIT.failed;
  } finally {
    stop.end();
    client.disconnect();
  }
};

export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check this machine, and with --against what a running server takes')
    .addOption(
      new Option('--sessions <n>', 'sessions that should fit')
        .default(100)
        .argParser(wholeNumber('--sessions', 100_000)),
    )
    .addOption(
      new Option('--against <url>', "a server's admin door, as treadle serve prints it").argParser(
        shortText('--against', 'http://127.0.0.1:4711'),
      ),
    )
    .addOption(
      new Option(
        '--token <token>',
        'its admin token; TREADLE_ADMIN_TOKEN when absent, which other users cannot see',
      ).argParser(shortText('--token', 'trd_...')),
    )
    .addOption(
      new Option('--calls <n>', 'calls of each step (1, 2, 4 ... at once)')
        .default(500)
        .argParser(wholeNumber('--calls', 1_000_000)),
    )
    .option('--data <dir>', 'also look at a data folder: room, disk, store, what lies there; no server may run on it')
    .option('--blobs <where>', 'where savepoints go, if not into the folder')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  treadle doctor --sessions 2000
  treadle doctor --data serving
  TREADLE_ADMIN_TOKEN=trd_... treadle doctor --sessions 1000 --against http://127.0.0.1:4711
  treadle doctor --against http://127.0.0.1:4711 --token trd_... --calls 5000 --json

With --against it opens sessions of the server's tasks (or worlds), makes read-only calls over MCP and closes what it
opened, also on Ctrl-C. Exit status 1: the machine or the server does not take that many.`,
    )
    .action(examine);
