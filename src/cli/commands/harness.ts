/** treadle harness: which agent programs are here, and how they get here. */
import { Command } from 'commander';
import { TreadleError } from '../../errors.js';
import { findHarness, harnessDir } from '../../rollout/harness/found.js';
import { installHarness } from '../../rollout/harness/install.js';
import { findJail } from '../../rollout/harness/jail.js';
import { HARNESS_KINDS, harnessKind } from '../../rollout/harness/registry.js';
import { onStop } from '../interrupt.js';
import { jsonOption } from '../options.js';
import { makeUi } from '../ui.js';

export interface HarnessLine {
  id: string;
  found: boolean;
  /** Absent: not found, or it does not run. */
  version?: string;
  at?: string;
}

/** The known harnesses on this machine. */
export const harnessLines = (dir: string): Promise<HarnessLine[]> =>
  Promise.all(
    HARNESS_KINDS.map(async (kind) => {
      const found = await findHarness(kind, dir);
      const version = found?.version;
      return { id: kind.id, found: !!found, ...(version ? { version } : {}), ...(found ? { at: found.command } : {}) };
    }),
  );

export const harnessLineText = ({ id, found, version, at }: HarnessLine): string =>
  version ? `${version}  ${at}` : found ? `does not run  ${at}` : `not installed: treadle harness install ${id}`;

const list = async ({ json, dir = harnessDir() }: { json?: boolean; dir?: string }): Promise<void> => {
  const ui = makeUi(json === true);
  const [harnesses, jail] = await Promise.all([harnessLines(dir), findJail()]);
  ui.give({ harnesses, jail: jail.jail ? { kind: jail.jail.kind } : { why: jail.why }, dir });
  for (const line of harnesses)
    ui.say(`${ui.style(line.version ? 'green' : 'dim', line.id.padEnd(12))} ${harnessLineText(line)}`);
  ui.say(
    jail.jail
      ? `${ui.style('green', 'bubblewrap  ')} holds each rollout`
      : `${ui.style('yellow', 'no jail     ')} ${jail.why}: a harness may read and write whatever you may`,
  );
};

const install = async (id: string, { json, dir = harnessDir() }: { json?: boolean; dir?: string }): Promise<void> => {
  const ui = makeUi(json === true);
  const kind = harnessKind(id);
  if (!kind)
    throw new TreadleError({
      code: 'unknown_harness',
      message: 'There is no such harness',
      value: id,
      next: `Known are ${HARNESS_KINDS.map((known) => known.id).join(', ')}; others run by --harness-command.`,
    });
  const stop = new AbortController();
  const signals = onStop(ui, () => stop.abort());
  try {
    const folder = await installHarness(kind, dir, { onStep: ui.step, signal: stop.signal });
    const found = await findHarness(kind, dir);
    ui.give({ id, folder, version: found?.version ?? null });
    ui.say(`${id} ${found?.version ?? '(does not run)'} in ${folder}`);
    if (dir !== harnessDir()) ui.say(ui.style('dim', `Set TREADLE_HARNESS_DIR=${dir} for treadle rollout to find it.`));
    if (!found?.version) process.exitCode = 1;
  } finally {
    signals.end();
  }
};

const DIR = 'folder that holds them (default: TREADLE_HARNESS_DIR, or treadle/harness in the cache folder)';

export const harnessCommand = (): Command =>
  new Command('harness')
    .description('agent programs that roll tasks out: which are here, and how to get them')
    .option('--dir <dir>', DIR)
    .addOption(jsonOption())
    .action(list)
    .addCommand(
      new Command('install')
        .description('install one from its registry, into a folder of its own')
        .argument('<id>', HARNESS_KINDS.map(({ id }) => id).join(', '))
        .option('--dir <dir>', DIR)
        .addOption(jsonOption())
        // Options that both have arrive at the parent.
        .action((id: string, _: unknown, command: Command) => install(id, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Needs:
${HARNESS_KINDS.map(({ id, recipe }) => `  ${id.padEnd(12)} ${recipe.needs}`).join('\n')}

Examples:
  treadle harness
  treadle harness install openclaw
  treadle rollout treadle-out --policy harness --harness openclaw --base-url http://127.0.0.1:8000/v1 --model qwen3`,
    );
