// Certifies every archetype of the catalogue by validators 1 to 6, each in several dialects and companies.
// `npm run bench -- catalogue [--dialects N] [ID ...]`: one line a failure, `{archetypes, services, certified, tools, tables}` last.
import { assembleWorld } from '../src/author/assemble.js';
import { archetypeIds } from '../src/author/catalogue/archetype.js';
import { authorFromBrief } from '../src/author/catalogue/author.js';
import { certifyService } from '../src/certify/certify.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

/** Companies of five continents, so that names, money and dates differ. */
const BRIEFS = [
  'A company of 40 people in Lyon',
  'A firm in Nairobi with 12 employees',
  'A business in Osaka, 150 staff',
  'A company in Denver, 30 people',
  'A firm in Auckland, 20 people',
  'A company in Bogotá with 60 employees',
];

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const at = args.indexOf('--dialects');
  const dialects = at >= 0 ? Number(args[at + 1]) : 3;
  const named = args.filter((arg, i) => !arg.startsWith('--') && (at < 0 || i !== at + 1));
  const ids = named.length > 0 ? named : archetypeIds();
  const engine = await Engine.start();
  let services = 0;
  let certified = 0;
  const tools = new Set<string>();
  const tables = new Set<string>();
  for (const id of ids) {
    for (let i = 0; i < dialects; i++) {
      const brief = BRIEFS[i % BRIEFS.length] as string;
      services += 1;
      try {
        const draft = authorFromBrief(brief, { seed: `${id}/${i}`, pins: { archetypes: [id] } });
        const world = loadWorld(engine, assembleWorld(engine, draft));
        const service = world.services.get(id);
        if (!service) throw new Error('not in its own world');
        const { certificate } = certifyService(world, service);
        for (const tool of Object.values(service.spec.tools)) tools.add(`${id}.${tool.id}`);
        for (const table of Object.keys(service.spec.tables)) tables.add(`${id}.${table}`);
        if (certificate.pass) certified += 1;
        else
          for (const finding of certificate.findings)
            if (!finding.pass) console.log(`${id} ${i} ${finding.id}: ${finding.evidence.slice(0, 3).join(' | ')}`);
        unloadWorld(world);
      } catch (error) {
        console.log(`${id} ${i} threw: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { archetypes: ids.length, services, certified, tools: tools.size, tables: tables.size };
};
