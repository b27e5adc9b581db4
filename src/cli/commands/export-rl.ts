/** treadle export rl: task rows, one a task, for trainers of reinforcement learning that play against treadle serve. */
import { Command, Option } from 'commander';
import { DETAILS, type Detail } from '../../artifacts/disclosure.js';
import { Profile } from '../../artifacts/task.js';
import { makeFolder } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { exportRl } from '../../train/rl/export.js';
import { RL_FORMATS } from '../../train/rl/formats/registry.js';
import { type LeftOut, type Selection, WHY_LEFT_OUT, type Window, windowIn } from '../../train/rl/select.js';
import { serverUrl } from '../../train/rl/server.js';
import { FILE_FORMATS, type FileFormat } from '../../train/tables/files.js';
import { realNumber, shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { rlSource } from '../pipeline/rl-rows.js';
import { sourceOption } from '../pipeline/row-options.js';
import { makeUi } from '../ui.js';
import { ownVersion } from '../version.js';

interface Options {
  for: string;
  server?: string;
  agent: string;
  user: 'none' | 'simulated';
  detail: Detail;
  pin?: boolean;
  world?: string;
  out?: string;
  file?: FileFormat;
  validation: number;
  kind?: 'atomic' | 'composed';
  profiles?: string[];
  scenarios: 'only' | 'with' | 'without';
  source?: string[];
  reviewed?: 'accepted';
  pilotPassRate?: Window;
  pilotSpread?: boolean;
  pilotRollouts: number;
  pilots?: string;
  carelessPassRate?: Window;
  carelessRate: number;
  licence?: string;
  seed: string;
  json?: boolean;
}

const profilesIn = (text: string): string[] => {
  const named = text.split(',').map((one) => one.trim());
  const known = Profile.options as readonly string[];
  const stray = named.find((one) => !known.includes(one));
  if (stray === undefined) return named;
  throw new TreadleError({
    code: 'bad_option',
    message: '--profiles takes profiles between commas',
    value: stray.slice(0, 40),
    next: `Choose among ${known.join(', ')}.`,
  });
};

const selectionOf = (options: Options): Selection => ({
  ...(options.kind ? { kinds: [options.kind] } : {}),
  ...(options.profiles ? { profiles: options.profiles } : {}),
  ...(options.pilotPassRate ? { pilotPassRate: options.pilotPassRate } : {}),
  pilotRollouts: options.pilotRollouts,
  pilotSpread: options.pilotSpread === true,
  ...(options.carelessPassRate ? { carelessPassRate: options.carelessPassRate } : {}),
});

/** A user that the trainer plays knows nothing of events: it would say what was true before. */
const refuseUser = ({ user, scenarios, source }: Options): void => {
  if (scenarios === 'without' && source)
    throw new TreadleError({
      code: 'bad_option',
      message: '--source is of scenarios',
      value: source.join(','),
      next: 'Add --scenarios only.',
    });
  if (scenarios === 'without' || user === 'none') return;
  throw new TreadleError({
    code: 'bad_option',
    message: "A trainer's scripted user would not know what a scenario's events change",
    value: `--user ${user} --scenarios ${scenarios}`,
    next: 'Leave --user out: what the user says of events comes with the tools’ results.',
  });
};

const between = ({ least, most }: Window): string => `${least} to ${most}`;

/** For the card: what was asked of a task to become a row. */
const chosenBy = (options: Options): string[] => [
  ...(options.scenarios === 'without'
    ? []
    : [options.scenarios === 'only' ? 'scenarios alone' : 'tasks and scenarios']),
  ...(options.source ? [`an event of source ${options.source.join(' or ')}`] : []),
  ...(options.kind ? [`kind: ${options.kind}`] : []),
  ...(options.profiles ? [`profiles: ${options.profiles.join(', ')}`] : []),
  ...(options.reviewed ? ['accepted by a reviewer as they are now'] : []),
  ...(options.pilotPassRate
    ? [
        `passed by a share of ${between(options.pilotPassRate)} of ${options.pilots ?? 'all but reference'} pilot rollouts, of which there are ${options.pilotRollouts} or more`,
      ]
    : []),
  ...(options.pilotSpread ? ['pilot rollouts differ in reward'] : []),
  ...(options.carelessPassRate
    ? [
        `met by a share of ${between(options.carelessPassRate)} of careless runs at ${options.carelessRate} slips a step`,
      ]
    : []),
];

export const exportRlCommand = (): Command =>
  new Command('rl')
    .description('write task rows, one a task, for trainers that play against a running treadle serve')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(
      new Option('--for <trainer>', 'who reads the rows').choices(Object.keys(RL_FORMATS)).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--server <url>',
        "address of the server's door (default: the trainer's usual one on 127.0.0.1)",
      ).argParser(serverUrl),
    )
    .addOption(
      new Option('--agent <name>', "NeMo Gym's agent server")
        .default('treadle_simple_agent')
        .argParser(shortText('--agent', 'treadle_simple_agent')),
    )
    .addOption(
      new Option('--user <kind>', 'the whole brief at once, or a script for a user that the trainer plays')
        .choices(['none', 'simulated'])
        .default('none'),
    )
    .addOption(new Option('--detail <detail>', 'how explicit requests are').choices([...DETAILS]).default('full'))
    .option('--pin', 'name tasks by content: a server that has another task of the name refuses')
    .addOption(worldOption())
    .addOption(
      new Option('--out <dir>', 'folder of the dataset (default: rl-<trainer> in the corpus)').argParser(
        shortText('--out', 'rows'),
      ),
    )
    .addOption(
      new Option('--file <kind>', 'kind of file (default: jsonl; parquet for verl)').choices([...FILE_FORMATS]),
    )
    .addOption(
      new Option('--validation <share>', 'share of tasks held out, by lineage')
        .default(0.1)
        .argParser(realNumber('--validation', 0, 0.9)),
    )
    .addOption(new Option('--kind <kind>', 'only tasks of this kind').choices(['atomic', 'composed']))
    .addOption(new Option('--profiles <list>', 'only composed tasks of these profiles').argParser(profilesIn))
    .addOption(
      new Option('--scenarios <which>', 'rows of scenarios (treadle dynamics) in place of tasks, beside them, or none')
        .choices(['only', 'with', 'without'])
        .default('without'),
    )
    .addOption(sourceOption('--source', 'only scenarios with an event of one of these sources'))
    .addOption(
      new Option('--reviewed <decision>', 'only tasks that a reviewer accepted as they are now').choices(['accepted']),
    )
    .addOption(
      new Option('--pilot-pass-rate <from..to>', 'only tasks that so many of their kept rollouts pass').argParser(
        windowIn('--pilot-pass-rate'),
      ),
    )
    .option('--pilot-spread', 'only tasks whose kept rollouts differ in reward')
    .addOption(
      new Option('--pilot-rollouts <n>', 'kept rollouts that a task needs to be told by them')
        .default(1)
        .argParser(wholeNumber('--pilot-rollouts', 100_000)),
    )
    .option('--pilots <name>', "a policy or model whose rollouts are the pilots (default: all but the reference's)")
    .addOption(
      new Option('--careless-pass-rate <from..to>', 'only tasks that so many careless runs meet').argParser(
        windowIn('--careless-pass-rate'),
      ),
    )
    .addOption(
      new Option('--careless-rate <rate>', 'slips a step of those runs, as treadle difficulty measured them')
        .default(0.1)
        .argParser(realNumber('--careless-rate', 0, 1)),
    )
    .option('--licence <name>', "the dataset card's licence")
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The card beside the rows tells how to start the server and the trainer. No row holds a reference solution, a check or an
expected answer.

Examples:
  treadle export rl treadle-out --for nemo
  treadle export rl treadle-out --for verl --server http://10.0.0.5:8000 --pin --out verl-rows
  treadle export rl treadle-out --for nemo --scenarios only --source requirement,state
  treadle export rl treadle-out --for trl --kind composed --profiles simple,standard --detail partial
  treadle rollout treadle-out --policy model --base-url URL --model M --samples 16 &&
    treadle export rl treadle-out --for verl --pilots M --pilot-rollouts 16 --pilot-pass-rate 0.1..0.9`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const format = RL_FORMATS[options.for];
      if (format === undefined) return;
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path(`rl-${format.id}`);
      makeFolder(out);
      const { scenarios, source: sources } = options;
      refuseUser(options);
      const view = { user: options.user, detail: options.detail };
      const isPinned = options.pin === true;
      const source = rlSource(
        corpus,
        {
          worlds,
          view,
          isPinned,
          selection: selectionOf(options),
          pilots: options.pilots,
          carelessRate: options.carelessRate,
          onlyAccepted: options.reviewed === 'accepted',
          scenarios,
          ...(sources ? { sources } : {}),
        },
        (id) => ui.progress(`tasks of ${id}`),
      );
      const report = await exportRl(source, {
        out,
        format,
        file: options.file ?? (format.id === 'verl' ? 'parquet' : 'jsonl'),
        server: options.server ?? format.door.server,
        agent: options.agent,
        view,
        isPinned,
        split: { validation: options.validation, seed: options.seed },
        licence: options.licence ?? 'other',
        chosen: chosenBy(options),
        version: ownVersion(),
      });
      ui.give({ out, for: format.id, ...report });
      const { train, validation } = report.splits;
      ui.say(`${report.rows} tasks in ${out} (${train.rows} train, ${validation.rows} validation) for ${format.id}`);
      for (const [why, n] of Object.entries(report.leftOut))
        ui.say(ui.style('dim', `  ${n} left out: they ${WHY_LEFT_OUT[why as LeftOut]}`));
      if (report.rows === 0) {
        ui.say('  no task became a row');
        process.exitCode = EXIT.failed;
      }
    });
