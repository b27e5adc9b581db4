/** treadle sessions: what sessions a server has, or a data folder holds while no server runs; looked at, and cleared. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { TreadleError } from '../../errors.js';
import type { SessionInfo } from '../../serve/api.js';
import { connect } from '../../serve/client/client.js';
import { type Data, openData } from '../../serve/durable/embedded.js';
import {
  type LeftSession,
  type LeftSummary,
  reapLeft,
  sessionsLeft,
  summaryOf,
} from '../../serve/durable/session/left.js';
import type { Trainer } from '../../serve/trainer.js';
import { jsonOption } from '../options.js';
import { adminToken } from '../serving/admin-token.js';
import { makeUi, type Ui, warn } from '../ui.js';

interface Options {
  data?: string;
  blobs?: string;
  against?: string;
  token?: string;
  run?: string;
  status?: string;
  lost?: boolean;
  closed?: boolean;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const PAGE = 500;

const noPlace = (): TreadleError =>
  new TreadleError({
    code: 'no_place',
    message: 'No server is named, and no data folder',
    next: 'Give --against URL of a running server’s admin door, or --data DIR of one that does not run.',
  });

/** Closed again whatever `work` does. */
const withData = async <T>({ data, blobs }: Options, work: (data: Data, folder: string) => Promise<T>): Promise<T> => {
  if (data === undefined) throw noPlace();
  const folder = resolve(data);
  if (!existsSync(`${folder}/store`))
    throw new TreadleError({
      code: 'no_data_folder',
      message: 'No server kept its sessions there',
      value: data,
      next: 'Name the folder that treadle serve --data was given.',
    });
  const open = await openData({ folder, blobs, onDefect: (error) => warn(error.line()) });
  try {
    return await work(open, folder);
  } finally {
    await open.close();
  }
};

const withServer = async <T>(options: Options, work: (trainer: Trainer) => Promise<T>): Promise<T> => {
  const client = connect({ url: options.against as string, token: adminToken(options.token) });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
};

const allOf = async (trainer: Trainer, { run, status }: Options): Promise<SessionInfo[]> => {
  const out: SessionInfo[] = [];
  for (;;) {
    const last = out.at(-1)?.id;
    const page = await trainer.sessions({
      limit: PAGE,
      ...(run === undefined ? {} : { run }),
      ...(status === undefined ? {} : { status }),
      ...(last === undefined ? {} : { after: last }),
    });
    out.push(...page);
    if (page.length < PAGE) return out;
  }
};

const fits = ({ labels, status }: Pick<LeftSummary, 'labels' | 'status'>, options: Options): boolean =>
  (options.run === undefined || labels.run === options.run) &&
  (options.status === undefined || status === options.status);

const line = (ui: Ui, id: string, status: string, what: string, more: string): void =>
  ui.say(`${id}  ${ui.style(status === 'lost' ? 'red' : 'cyan', status.padEnd(7))} ${what}  ${ui.style('dim', more)}`);

const liveLine = (ui: Ui, { id, status, pins, calls, seq, residence, lost }: SessionInfo): void =>
  line(
    ui,
    id,
    status,
    pins.task?.name ?? pins.world.name,
    `${calls} calls, seq ${seq}, ${residence}${lost === undefined ? '' : `, lost up to ${lost} and not told yet`}`,
  );

const leftLine = (ui: Ui, { session, status, task, world, calls, seq, lost, why }: LeftSummary): void =>
  line(
    ui,
    session,
    status,
    task ?? world ?? '',
    why ?? `${calls} calls, seq ${seq}${lost > 0 ? `, ${lost} acknowledged requests are lost` : ''}`,
  );

const counted = (ui: Ui, count: number, where: string): void =>
  ui.say(ui.style('dim', `${count} session${count === 1 ? '' : 's'} ${where}`));

const list = async (options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  if (options.against !== undefined) {
    const sessions = await withServer(options, (trainer) => allOf(trainer, options));
    ui.give({ sessions });
    for (const session of sessions) liveLine(ui, session);
    counted(ui, sessions.length, 'on the server');
    return;
  }
  const left = await withData(options, sessionsLeft);
  const sessions = left.map(summaryOf).filter((one) => fits(one, options));
  ui.give({ sessions });
  for (const session of sessions) leftLine(ui, session);
  counted(ui, sessions.length, 'go on when a server is started on this folder');
};

const unknown = (id: string): TreadleError =>
  new TreadleError({
    code: 'unknown_session',
    message: 'There is no such session',
    value: id,
    next: 'treadle sessions list names them.',
  });

const shownCall = (ui: Ui, index: number, tool: string, ok: boolean, args: unknown): void =>
  ui.say(
    `  ${String(index).padStart(4)} ${ok ? 'ok ' : ui.style('red', 'err')} ${tool} ${JSON.stringify(args).slice(0, 120)}`,
  );

const inspectLeft = (ui: Ui, left: LeftSession): void => {
  const summary = summaryOf(left);
  ui.give({ ...summary, pins: left.image?.start.pins ?? null, entries: left.image?.entries ?? [] });
  leftLine(ui, summary);
  const { image } = left;
  if (!image) return;
  const { pins, services } = image.start;
  ui.say(`  world ${pins.world.name}@${pins.world.version}, services ${services.join(', ')}`);
  if (image.snapshots.length > 0) ui.say(`  snapshots ${image.snapshots.map(({ id }) => id).join(', ')}`);
  for (const { index, tool, ok, args } of image.entries) shownCall(ui, index, tool, ok, args);
  if (left.logged > 0) ui.say(ui.style('dim', `  and ${left.logged} calls in the log`));
};

const inspect = async (id: string, options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  if (options.against === undefined) {
    const [left] = await withData(options, (data, folder) => sessionsLeft(data, folder, id));
    if (!left) throw unknown(id);
    inspectLeft(ui, left);
    return;
  }
  await withServer(options, async (trainer) => {
    const [info, ledger] = [await trainer.session(id), await trainer.ledger(id)];
    ui.give({ ...info, entries: ledger.entries });
    liveLine(ui, info);
    for (const { index, tool, ok, args } of ledger.entries) shownCall(ui, index, tool, ok, args);
  });
};

const reapServer = async (ui: Ui, options: Options): Promise<void> => {
  if (options.run === undefined && options.status === undefined && !options.all)
    throw new TreadleError({
      code: 'which_sessions',
      message: 'Closing all sessions of a running server has to be said',
      next: 'Give --run NAME, --status open|paused|forked, or --all.',
    });
  await withServer(options, async (trainer) => {
    const open = (await allOf(trainer, options)).filter(({ status }) => status !== 'closed');
    if (!options.dryRun) for (const { id } of open) await trainer.close(id);
    ui.give({ closed: open.map(({ id }) => id), dryRun: options.dryRun === true });
    counted(ui, open.length, options.dryRun ? 'would be closed' : 'closed');
  });
};

const reap = async (options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  if (options.against !== undefined) {
    await reapServer(ui, options);
    return;
  }
  await withData(options, async (data, folder) => {
    const isAny = !options.lost && !options.closed && !options.all;
    const left = (await sessionsLeft(data, folder)).map(summaryOf).filter((one) => fits(one, options));
    const over = left.filter(
      ({ status }) =>
        options.all ||
        ((isAny || options.lost) && (status === 'lost' || status === 'gone')) ||
        ((isAny || options.closed) && status === 'closed'),
    );
    const ids = over.map(({ session }) => session);
    const blobs = options.dryRun ? 0 : await reapLeft(data, folder, ids);
    ui.give({ removed: ids, blobs, dryRun: options.dryRun === true });
    for (const one of over) leftLine(ui, one);
    counted(ui, over.length, options.dryRun ? 'would be removed' : `removed, with ${blobs} savepoints`);
  });
};

const placed = (command: Command): Command =>
  command
    .option('--data <dir>', 'data folder of a server that does not run')
    .option('--blobs <where>', 'where that server kept its savepoints, if not in the folder')
    .option('--against <url>', 'admin door of a running server')
    .option('--token <token>', 'its admin token; TREADLE_ADMIN_TOKEN when absent')
    .addOption(jsonOption());

const filtered = (command: Command): Command =>
  command
    .option('--run <label>', 'only of this run')
    .addOption(
      new Option('--status <status>', 'only those').choices(['open', 'paused', 'forked', 'closed', 'lost', 'gone']),
    );

export const sessionsCommand = (): Command =>
  new Command('sessions')
    .description('list, inspect and clear the sessions of a server, or of the data folder it left')
    .addCommand(filtered(placed(new Command('list').description('a line a session'))).action(list), { isDefault: true })
    .addCommand(
      placed(
        new Command('inspect').description('one session: its pins, its calls, what would be lost').argument('<id>'),
      ).action(inspect),
    )
    .addCommand(
      filtered(
        placed(
          new Command('reap').description(
            'on a server: close sessions; in a folder: remove what is over or cannot be read',
          ),
        ),
      )
        .option('--lost', 'in a folder: those of which nothing can be read')
        .option('--closed', 'in a folder: those that were closed')
        .option('--all', 'every one that the filters let through')
        .option('--dry-run', 'only say which')
        .action(reap),
    )
    .addHelpText(
      'after',
      `
Examples:
  treadle sessions list --data serving                       what goes on when a server is started on the folder
  treadle sessions inspect 1x_Qw7ZqkDzYp0aT --data serving   its calls, and what of it is lost
  treadle sessions reap --data serving --dry-run             what is over or cannot be read
  treadle sessions list --against http://127.0.0.1:8932 --status open --json
  treadle sessions reap --against http://127.0.0.1:8932 --run experiment-7`,
    );
