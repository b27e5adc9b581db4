/** treadle author: what would be made of an input, with the evidence, and nothing written but the drafts. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { writeJson } from '../../corpus/files.js';
import { addressOf } from '../../kit/hash.js';
import { shortText } from '../arguments.js';
import { jsonOption, pinOptions, pinsOf, seedOption, worldsOption } from '../options.js';
import { outcomeLines } from '../pipeline/document.js';
import { draftsOf } from '../pipeline/drafts.js';
import { readInput } from '../pipeline/input.js';
import { makeUi } from '../ui.js';

interface Options {
  worlds: number;
  seed: string;
  out?: string;
  json?: boolean;
  country?: string;
  industry?: string;
  services?: string;
}

export const authorCommand = (): Command =>
  pinOptions(
    new Command('author')
      .description('draft services and worlds, and say why')
      .argument('<input>', 'a brief or an OpenAPI document'),
  )
    .addOption(worldsOption())
    .addOption(seedOption())
    .addOption(
      new Option('--out <dir>', 'write the service specs there as JSON').argParser(shortText('--out', 'drafts')),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle author "a vet clinic in Porto with 6 vets"\n  treadle author openapi.json --out drafts --json',
    )
    .action(async (given: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const drafting = draftsOf(await readInput(given), options.seed, pinsOf(options));
      const drafts = Array.from({ length: options.worlds }, (_, index) => drafting.draft(index, 0));
      for (const { id, company, brief, services, links, invariants } of drafts) {
        ui.say(ui.style('bold', `${company.name}: ${company.about}`));
        for (const { choice, because, kind } of brief.evidence)
          ui.say(`  ${choice}  ${ui.style('dim', `${because} (${kind})`)}`);
        for (const { spec, role } of services)
          ui.say(
            `  ${role.padEnd(6)} ${spec.id}: ${Object.keys(spec.tables).length} tables, ${Object.keys(spec.tools).length} tools, dialect ${spec.surface.dialect}`,
          );
        ui.say(`  ${links.length} links, ${invariants.length} rules across services`);
        if (options.out) for (const { spec } of services) writeJson(join(options.out, id, `${spec.id}.json`), spec);
      }
      if (drafting.document) for (const line of outcomeLines(drafting.document)) ui.say(line);
      ui.give({
        worlds: drafts.map((draft) => ({
          ...draft,
          services: draft.services.map(({ spec, role, prefix }) => ({
            id: spec.id,
            role,
            prefix,
            hash: addressOf(spec),
            tools: Object.keys(spec.tools),
          })),
        })),
        ...(drafting.document ? { document: drafting.document } : {}),
      });
    });
