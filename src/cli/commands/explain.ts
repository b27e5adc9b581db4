/** treadle explain: what each operation of an API document will do when the document is served as its own API, and why. */
import { Command } from 'commander';
import { type Explained, operationMeant } from '../../author/face/explain.js';
import { jsonOption, seedOption, worldOption } from '../options.js';
import { explainedIn } from '../pipeline/explained.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  overrides?: string;
  seed: string;
  world?: string;
  json?: boolean;
}

const sayOne = (ui: Ui, one: Explained): void => {
  ui.say(ui.style('bold', one.operation));
  if (!one.isBound) {
    ui.say(`  Nothing stands behind it: ${one.why}.`);
    ui.say(`  ${one.next}`);
    return;
  }
  ui.say(`  tool ${one.tool} on table ${one.table}; ${one.tier}${one.evidence ? `: ${one.evidence}` : ''}`);
  for (const line of one.does ?? []) ui.say(`    ${line}`);
  if (one.args && one.args.length > 0) ui.say('  From the request:');
  for (const { name, from, use, required } of one.args ?? [])
    ui.say(`    ${from}${required ? ' (required)' : ''} -> ${name}, ${use}`);
  const { kind, path, key } = one.answer ?? { kind: 'done', path: [] };
  const where = path.length > 0 ? ` at ${path.join('.')}` : '';
  const words = { row: 'the row', rows: 'the rows', value: 'what it worked out', done: 'that it was done' }[kind];
  ui.say(`  Answers with ${words}${where}${key ? `, named by ${key.join('.')}` : ''}.`);
  const errors = Object.entries(one.errors ?? {}).map(([code, status]) => `${code} ${status}`);
  if (errors.length > 0) ui.say(`  Refuses with ${errors.join(', ')}.`);
};

const sayAll = (ui: Ui, all: readonly Explained[], hints: string[]): void => {
  const wide = Math.min(70, Math.max(...all.map(({ operation }) => operation.length)));
  for (const one of all) {
    const tail = one.isBound
      ? `${one.tier?.padEnd(9)} ${one.tool} (${one.table})`
      : ui.style('dim', `-         ${one.why}`);
    ui.say(`${one.operation.padEnd(wide)}  ${tail}`);
  }
  for (const hint of hints) ui.say(hint);
};

const explain = async (given: string, words: readonly string[], options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  const documents = await explainedIn(given, options);
  const operations = documents.flatMap((one) => one.operations);
  const all = documents.flatMap((one) => one.all);
  const labels = operations.map(({ label }) => label);
  if (words.length > 0) {
    const ids = new Map(operations.flatMap(({ id, label }) => (id === undefined ? [] : [[id, label] as const])));
    const meant = operationMeant(words.join(' '), labels, ids);
    const one = all.find(({ operation }) => operation === meant) as Explained;
    ui.give(one);
    sayOne(ui, one);
    return;
  }
  const bound = all.filter(({ isBound }) => isBound).length;
  const synthetic = all.filter(({ tier }) => tier === 'synthetic').length;
  const title = documents.map((one) => one.title).join(', ');
  ui.give({ title, operations: all.length, bound, synthetic, explained: all });
  sayAll(ui, all, [
    '',
    `${bound} of ${all.length} operations have a tool behind them${synthetic > 0 ? `, ${synthetic} of which only look the row up` : ''}.`,
    `One of them: treadle explain ${given} "${labels[0] ?? 'GET /path'}"`,
  ]);
};

export const explainCommand = (): Command =>
  new Command('explain')
    .description('say what an operation of an API document does when it is served (serve --rest), and why')
    .argument('<document>', 'an OpenAPI document, a path or an address; or a corpus folder that was built from one')
    .argument('[operation...]', '"POST /pets/{petId}/adopt", a path, or an operation id; all of them when left out')
    .option('--overrides <file>', 'corrections (YAML); else overrides.yaml beside the document, where there is one')
    .addOption(worldOption())
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  treadle explain api.yaml                                    a line for each operation
  treadle explain api.yaml "POST /customers/{id}/orders"      what one does, and why
  treadle explain api.yaml createOrder --overrides overrides.yaml --json`,
    )
    .action(explain);
