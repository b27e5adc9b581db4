// Writes docs/dynamic-tau2.md: tau2-bench retail turned dynamic, by source, trigger and rule, with ten scenarios in full.
// `node docs/dynamic-tau2.mjs` after `npm run build`, with the benchmark's files in ../shared/data/tau2 (or `--data DIR`); `--corpus DIR`
// takes a corpus that was made so before. Without the files it says so and writes nothing.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const data = given('--data') ?? join(root, '../shared/data/tau2');
const PER_TASK = 8;
const SEED = '1';

if (!existsSync(join(data, 'db.json'))) {
  console.log(`SKIPPED: tau2-bench's files are not in ${data}; docs/dynamic-tau2.md stays as it is.`);
  process.exit(0);
}

const load = (path) => import(new URL(`../dist/${path}.js`, import.meta.url).href);
const { eventEntries } = await load('cli/show/scenario/events');
const { referenceChanges, revisions, untouched } = await load('cli/show/scenario/changes');
const { Corpus } = await load('corpus/corpus');
const { sourceOf } = await load('rollout/outside');

const treadle = (...args) =>
  execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });

const made = given('--corpus');
const out = made ?? mkdtempSync(join(tmpdir(), 'dynamic-tau2-'));
if (!made) {
  treadle('import', 'tau2', data, '--look-ups', '--out', out);
  treadle('dynamics', out, '--per-task', String(PER_TASK), '--seed', SEED, '--jobs', '1');
}

const corpus = Corpus.open(out);
const world = 'tau2_retail';
const {
  services,
  world: { clock },
} = corpus.readWorld(world);
const { tasks, certificates } = corpus.readTasks(world);
const byId = new Map(tasks.map((task) => [task.id, task]));
const folder = join(out, 'worlds', world, 'scenarios');
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const index = read('index.json');
const scenarios = readdirSync(folder)
  .filter((name) => /^tau2-.*\.json$/.test(name))
  .map(read)
  .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
if (!made) rmSync(out, { recursive: true });

const count = (values) => {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || (String(a) < String(b) ? -1 : 1));
};
const table = (heads, rows) =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const triggerOf = ({ when }) => Object.keys(when)[0];
const events = scenarios.flatMap((scenario) => scenario.events.map((event) => ({ scenario, event })));
const sources = ['requirement', 'state', 'information', 'distractor', 'fault'];
const bySource = sources.map((source) => {
  const own = events.filter(({ event }) => sourceOf(event) === source);
  const triggers = Object.fromEntries(count(own.map(({ event }) => triggerOf(event))));
  const told = Object.fromEntries(count(own.map(({ event }) => event.notify.to)));
  return [
    source,
    new Set(own.map(({ scenario }) => scenario.id)).size,
    own.length,
    ...['after', 'at', 'random'].map((one) => triggers[one] ?? 0),
    ...['user', 'environment', 'none'].map((one) => told[one] ?? 0),
  ];
});

/** What an event is, by the beginning of its id. */
const KINDS = [
  [/^other_variant/, 'another variant of the product is wanted'],
  [/^other_payment/, 'another way to pay or to be refunded'],
  [/^keeps_/, 'one of several items stays as it is'],
  [/^other_reason/, 'another reason for the cancellation'],
  [/^other_address/, 'the house number was wrong'],
  [/^without_/, 'one of several requests is withdrawn'],
  [/^gone_/, 'the chosen variant sells out; a second choice'],
  [/^dearer_/, 'the chosen variant becomes dearer; a cheaper one'],
  [/^short_/, 'the gift card runs short; another way to pay'],
  [/^(return|exchange)_/, 'the order arrives meanwhile; a return or an exchange instead'],
  [/^late_/, 'the order moved on; it is too late, and that has to be said'],
  [/^held_/, 'notice: a quality hold, what is given instead'],
  [/^closed_/, 'notice: a way to pay is closed, which one is used instead'],
  [/^only_/, 'notice: one of the reasons is not used any more'],
  [/^rumour_/, 'hearsay that changes nothing'],
  [/^outage_/, 'a tool fails openly (P1)'],
  [/^slip_/, 'a read lies once (P3)'],
  [/^lie_/, 'a read lies for good (P4)'],
  [/^closure_/, 'a read is closed for good (P2)'],
];
const kindOf = ({ id }) => KINDS.find(([pattern]) => pattern.test(id))?.[1] ?? id.replace(/_\d.*$/, '');

const refused = index.refused ?? [];
const rules = count(refused.map(({ rule }) => rule)).map(([rule]) => rule);
const groupOf = ({ source }) => (source.includes(' + ') ? `sets of ${source.split(' + ').length}` : source);
const refusedRows = count(refused.map(groupOf)).map(([group, n]) => [
  group,
  ...rules.map((rule) => refused.filter((one) => groupOf(one) === group && one.rule === rule).length),
  n,
]);

const isChange = ({ event }) => ['requirement', 'state', 'information'].includes(sourceOf(event));
const withChange = new Set(events.filter(isChange).map(({ scenario }) => scenario.id)).size;
const findings = (task) => certificates[task.id]?.findings.find(({ id }) => id === 'null_agent_fails');
const passing = tasks.filter((task) => findings(task)?.pass === false).map(({ id }) => id.replace('tau2-retail-', ''));
const without = tasks
  .filter(({ id }) => !scenarios.some((one) => one.taskId === id))
  .map(({ id }) => id.replace('tau2-retail-', ''));

/** The ten that are printed: of each kind the first that is short and has one thing at a time. */
const LONGEST = 420;
const isPlain = ({ taskId, events: own }) => {
  const task = byId.get(taskId);
  const edits = own.flatMap(({ reference }) => reference.insert);
  // The store gives all items of one change the price and options of the last: true to the benchmark, and hard to read.
  const isQuirky = [...task.reference.calls, ...edits].some(
    ({ tool, args }) => tool === 'modify_pending_order_items' && args.item_ids.length > 1,
  );
  return task.nodes[0].intent.length < LONGEST && !isQuirky;
};
// A customer has several tasks, which are much alike.
const customerOf = ({ taskId }) => byId.get(taskId).bindings.find((one) => one.table === 'user')?.key ?? taskId;
const taken = new Set();
const first = (fits) => {
  const found = scenarios.find((one) => !taken.has(customerOf(one)) && isPlain(one) && fits(one));
  if (found) taken.add(customerOf(found));
  return found;
};
const single =
  (pattern, more = () => true) =>
  (one) =>
    one.events.length === 1 && pattern.test(one.events[0].id) && more(one.events[0]);
const chosen = [
  single(/^late_processed/),
  single(/^(only|closed|held)_/),
  (one) =>
    one.events.filter((event) => isChange({ event })).length > 1 &&
    one.events.some(({ needs }) => needs.length > 0) &&
    one.events.every(({ excludes }) => excludes.length === 0),
  single(/^(return|exchange)_/),
  single(/^other_variant/),
  single(/^keeps_/),
  single(/^without_/),
  single(/^gone_/),
  single(/^dearer_/),
  single(/^slip_/),
].flatMap((fits) => first(fits) ?? []);

const code = (lines) => ['```diff', ...lines, '```'].join('\n');
const changed = (changes) => changes.map(({ sign, text }) => `${sign} ${text}`);
const seconds = (text) => text.replace(/\d{4}-\d\d-\d\dT[\d:]+Z \(([\d,]+) s in\)/g, '$1 s');
const checksOf = (task, scenario) => {
  const lines = revisions(task, scenario, services).flatMap(({ event, changes }) => [
    ...(scenario.events.length > 1 ? [`  ${event}${changes.length === 0 ? ': nothing' : ''}`] : []),
    ...changed(changes),
  ]);
  if (lines.length === 0) return ['All checks stay as they are.'];
  return [`What becomes of the checks (${untouched(task, scenario)} of the task's stay as they are):`, '', code(lines)];
};
const printed = (scenario, n) => {
  const task = byId.get(scenario.taskId);
  const shown = referenceChanges(task, scenario);
  // What comes before the first difference is told by its tools: who the customer is stands there, and nowhere else on this page.
  const at = shown.findIndex(({ sign }) => sign !== ' ');
  const before = shown.slice(0, Math.max(0, at)).map(({ text }) => text.split(' ')[1]);
  return [
    `### ${n + 1}. ${kindOf(scenario.events.find((event) => isChange({ event })) ?? scenario.events[0])}`,
    '',
    `\`${scenario.id}\`, of the benchmark's task ${task.lineage.seed}. The customer was told: “${task.nodes[0].intent.replace(/\s+/g, ' ').trim()}”`,
    '',
    ...scenario.events.flatMap((event) => [
      ...(scenario.events.length > 1 ? [`**${event.id}**: ${kindOf(event)}`, ''] : []),
      ...eventEntries(services, event, clock).map(([name, text]) => `- ${name ? `*${name}*: ` : ''}${seconds(text)}`),
      '',
    ]),
    ...checksOf(task, scenario),
    '',
    `The reference, before and after${before.length > 0 ? ` (first, both the same: ${before.join(', ')})` : ''}:`,
    '',
    code(changed(shown.slice(Math.max(0, at)))),
    '',
  ].join('\n');
};

/** What was found when some of them were read as whoever answers for a help desk would. */
const note = `Some ninety of them were read while the makers were written; what a support manager would not have believed was changed where it is made: an order that went back from delivered to pending; an address that became a return of everything in the box; who wanted more zoom, and whose second choice had less; size 11 for size 12; a difference of 9.89 still to be told after the exchange was another one; an order that was too late to modify and could have been exchanged. What is left:

- **Words.** Nobody names a keyboard by all of its options; these customers do, since the words have to fit one variant. They read like the shop's own listing.
- **One modification, several items.** The benchmark's tool gives all of them the price and options of the last. The checks say what the tool does; a shop that did so would hear of it. None of the ten above has more than one item in a modification.
- **Notices** say what is given in place of what, and that customers agreed: a real one would leave that to a talk.
- **An order that arrives while its owner writes** happens; that the shop's records jump from pending to delivered at that moment is a little neat.
- **Near-twins.** The benchmark has several tasks about one customer; so have the scenarios (tasks 5 to 9, 71 and 72, 98 and 99).
- **Hearsay and openly failing tools** are easy to make for every task. Count them apart: the second table does.`;

const page = `# tau2-bench retail, dynamic

Written by \`node docs/dynamic-tau2.mjs\`: the benchmark's ${tasks.length} valid retail tasks ([tau2.md](tau2.md)) with events woven in. Nobody wrote a scenario. Requests, records and rules are the benchmark's (tau2-bench, Sierra, MIT licence; ten of its tasks are quoted below in part); events, revised checks and re-solved references are made and proved by Treadle:

\`\`\`sh
treadle import tau2 tau2-bench/data/tau2/domains/retail --look-ups --out retail
treadle dynamics retail --per-task ${PER_TASK} --seed ${SEED}
treadle show retail ${chosen[0]?.id}
treadle rollout retail --scenarios --policy reference
\`\`\`

**${scenarios.length} accepted scenarios** of ${new Set(scenarios.map(({ taskId }) => taskId)).size} of ${tasks.length} tasks, with ${events.length} events, at most ${PER_TASK} a task; in ${withChange} of them the goal, a record or a rule changes, the others are of faults and hearsay alone. Tasks that pass with nothing done (${passing.join(', ')}) are left out by rule 8${without.filter((id) => !passing.includes(id)).length > 0 ? `, and ${without.filter((id) => !passing.includes(id)).join(', ')}, in which there is no write that an event could come before` : ''}.

## How they are made

The benchmark's tasks bring a request in words, calls and a database; no facts with their places, no links, no contracts. So everything comes from the calls: an argument that holds a row's key is a *choice*, and its siblings (variants of its product, ways to pay of its customer) are what else it might have been; lists that go together (what is given back, what for) are *things*; an argument with few fixed values is a *term*; a flag, a price or a balance of what was chosen is a *record* that may change; a later status under which the call is refused *overtakes* it. None of that knows the shop: the same makers run over every world (src/dynamics/author/choices).

What becomes of the checks is not guessed. The changed calls are carried out on a session in which the event fires; each leaf of the state they leave is matched with the leaves the task has; equal ones stay the same object, others are replaced, retired or added. Then the ten rules decide, by execution: among them that the old plan fails, that the new one passes, that doing nothing fails, and that no other check changes its verdict.

- A customer's second choice keeps what the change was for (who wants more zoom is not content with less), their size, and what has to fit. Words name a variant by all of its options, so that one variant fits.
- A figure that has to be told (a balance, a difference) is revised where it stands in a record that comes out otherwise; where it cannot be told, there is no event.
- Requests that say themselves what to do *if* something cannot be done get no news of that kind: the reference would have to guess.
- The store itself gives all items of one modification the price and options of the last; checks of such scenarios say so too, as the benchmark's own database does.

## What there is

${table(['source', 'scenarios with it', 'events', 'after a call', 'by the clock', 'at random', 'told by the customer', 'by a notice', 'to be found out'], bySource)}

${table(['what happens', 'events'], count(events.map(({ event }) => kindOf(event))))}

Events a scenario: ${count(scenarios.map((one) => one.events.length))
  .sort(([a], [b]) => a - b)
  .map(([size, n]) => `${n} with ${size}`)
  .join(', ')}.

Refused were ${refused.length} of ${index.candidates ?? '?'} candidates, for the first rule that each broke:

${table(['candidates', ...rules, 'all'], refusedRows)}

## Ten of them

${chosen.map(printed).join('\n')}${note ? `## Read by a sceptic\n\n${note}\n` : ''}`;

writeFileSync(join(root, 'docs/dynamic-tau2.md'), page);
console.log(
  `${scenarios.length} scenarios, ${withChange} with a change; ${chosen.length} printed in docs/dynamic-tau2.md`,
);
