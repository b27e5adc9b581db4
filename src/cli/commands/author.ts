/** treadle author: what would be made of an input, with the evidence, and nothing written but the drafts. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { writeJson } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { addressOf } from '../../kit/hash.js';
import { unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { shortText } from '../arguments.js';
import { EXIT } from '../exit.js';
import { jsonOption, pinOptions, pinsOf, seedOption, worldsOption } from '../options.js';
import { outcomeLines } from '../pipeline/document.js';
import { type Drafting, draftsOf } from '../pipeline/drafts.js';
import { type Input, readInputs, readServer } from '../pipeline/input.js';
import {
  draftWithModel,
  type ModelOptions,
  modelLines,
  modelOf,
  modelOptions,
  refuseNothing,
} from '../pipeline/model-author.js';
import { type OwnOptions, ownLine, ownOptions, withOwn, withOwnIn } from '../pipeline/own.js';
import { makeWorld, whyNot } from '../pipeline/world.js';
import { makeUi, type Ui } from '../ui.js';

interface Options extends ModelOptions, OwnOptions {
  worlds: number;
  seed: string;
  out?: string;
  json?: boolean;
  country?: string;
  industry?: string;
  services?: string;
  mcp?: string;
  certify?: boolean;
}

const inputOf = async (given: readonly string[], { mcp, model }: Options): Promise<Input> => {
  if (mcp === undefined) return readInputs(given, model !== undefined);
  if (given.length === 0) return readServer(mcp);
  throw new TreadleError({
    code: 'two_inputs',
    message: 'Give an input or --mcp, not both',
    value: given[0],
    next: 'Leave one of them out.',
  });
};

const describe = (ui: Ui, { company, brief, services, links, invariants }: WorldDraft): void => {
  ui.say(ui.style('bold', `${company.name}: ${company.about}`));
  for (const { choice, because, kind } of brief.evidence)
    ui.say(`  ${choice}  ${ui.style('dim', `${because} (${kind})`)}`);
  for (const { spec, role } of services)
    ui.say(
      `  ${role.padEnd(6)} ${spec.id}: ${Object.keys(spec.tables).length} tables, ${Object.keys(spec.tools).length} tools, dialect ${spec.surface.dialect}`,
    );
  ui.say(`  ${links.length} links, ${invariants.length} rules across services`);
};

/** Runs the validators over each draft, with the repair; exit status 1 when one fails. */
const certifyDrafts = (ui: Ui, engine: Engine, drafts: readonly WorldDraft[]): object[] =>
  drafts.map((draft) => {
    const made = makeWorld(engine, draft, elapsedMs);
    const why = whyNot(made);
    const tools = made.loaded.tools.size;
    unloadWorld(made.loaded);
    ui.say(why === undefined ? `  certified with ${tools} tools` : `  not certified: ${why}`);
    for (const { what, why: reason } of made.dropped) ui.say(ui.style('dim', `    left out: ${what}: ${reason}`));
    if (why !== undefined) process.exitCode = EXIT.failed;
    return { id: draft.id, certified: why === undefined, tools, dropped: made.dropped, ...(why ? { why } : {}) };
  });

const byModel = async (ui: Ui, engine: Engine, input: Input, options: Options, pins: Pins): Promise<WorldDraft> => {
  const client = modelOf(options);
  if (!client)
    throw new TreadleError({ code: 'no_model', message: 'No model was named', value: '', next: 'Add --model.' });
  if (input.kind === 'document')
    throw new TreadleError({
      code: 'no_brief',
      message: 'A model writes worlds of words: a brief, or documentation as .md, .txt or .html',
      value: input.name,
      next: 'Leave --model out: an API document and a list of tools are compiled without one.',
    });
  const { text, name } = input;
  const source = input.isFile ? { documents: [{ name, text }], pins } : { brief: text, pins };
  const say = (line: string): void => ui.progress(line);
  const { draft, report } = await draftWithModel({ engine, client, options, source, seed: options.seed, say });
  for (const line of modelLines(report)) ui.say(line);
  refuseNothing(report);
  return input.own ? withOwnIn(draft, input.own) : draft;
};

const EXAMPLES = `
Input is a brief in words, a file with one (.txt, .md), one or several OpenAPI documents of one product (file or URL), or a list
of tools as MCP or OpenAI writes it (JSON). --mcp starts a server, or reaches one, and asks it for its list.

Examples:
  treadle author "a vet clinic in Porto with 6 vets"
  treadle author openapi.json --out drafts --json
  treadle author crm.yaml billing.yaml --certify
  treadle author tools.json --certify
  treadle author --mcp "npx -y @modelcontextprotocol/server-memory"
  treadle author --mcp http://127.0.0.1:3000/mcp
  treadle author openapi.yaml --data customers.csv --data invoice=january.csv --overrides fixes.yaml --certify
  treadle author manual.md --model qwen3-8b --base-url http://127.0.0.1:8000/v1`;

export const authorCommand = (): Command =>
  modelOptions(
    ownOptions(
      pinOptions(
        new Command('author')
          .description('draft services and worlds, and say why')
          .argument('[input...]', 'a brief, OpenAPI document(s), or a list of tools'),
      ),
    )
      .option('--mcp <target>', 'list the tools of this MCP server: a command or an http(s) address')
      .option('--certify', 'run the validators over each draft, with the repair')
      .addOption(worldsOption())
      .addOption(seedOption())
      .addOption(
        new Option('--out <dir>', 'write the service specs there as JSON').argParser(shortText('--out', 'drafts')),
      )
      .addOption(jsonOption()),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (given: string[], options: Options) => {
      const ui = makeUi(options.json === true);
      const pins = pinsOf(options);
      const isModel = modelOf(options) !== undefined;
      const input = await withOwn(await inputOf(given, options), given[0], options);
      const own = ownLine(input);
      if (own) ui.step(own);
      const engine = isModel || options.certify ? await Engine.start() : undefined;
      try {
        const drafts: WorldDraft[] = [];
        let drafting: Drafting | undefined;
        if (isModel && engine) drafts.push(await byModel(ui, engine, input, options, pins));
        else {
          drafting = draftsOf(input, options.seed, pins);
          for (let i = 0; i < options.worlds; i++) drafts.push(await drafting.draft(i, 0));
        }
        for (const draft of drafts) {
          describe(ui, draft);
          if (options.out)
            for (const { spec } of draft.services) writeJson(join(options.out, draft.id, `${spec.id}.json`), spec);
        }
        if (drafting?.document) for (const line of outcomeLines(drafting.document)) ui.say(line);
        const certified = options.certify && engine ? certifyDrafts(ui, engine, drafts) : undefined;
        ui.give({
          worlds: drafts.map(({ own: _, ...draft }) => ({
            ...draft,
            services: draft.services.map(({ spec, role, prefix }) => ({
              id: spec.id,
              role,
              prefix,
              hash: addressOf(spec),
              tools: Object.keys(spec.tools),
            })),
          })),
          ...(drafting?.document ? { document: drafting.document } : {}),
          ...(certified ? { certified } : {}),
        });
      } finally {
        engine?.close();
      }
    });
