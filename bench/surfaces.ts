/**
 * How much the tools of worlds differ, by authoring alone: worlds drafted as `treadle build --countries 50 --industries all` drafts
 * them, without data, certificates or tasks, so the figures are those of a corpus before any world is given up.
 * `npm run bench -- surfaces [--worlds N] [--show K]`: a line of figures at every doubling of N (1,000; `--small`: 40), the growth of
 * distinct schemas drawn out to 4,783 worlds, and with `--show K` the tools of K worlds as an agent would be told of them.
 */

import type { WorldDraft } from '../src/author/draft.js';
import { draftsOf } from '../src/cli/pipeline/drafts.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { SurfaceCounts } from '../src/corpus/statistics/surfaces.js';
import { surfaceOf } from '../src/corpus/surface.js';
import { describeTool } from '../src/serve/sessions/describe.js';
import { compileService } from '../src/world/program/compile.js';

const SEED = 'corpus';
/** The corpus that the papers compare with. */
const WHOLE = 4_783;

const numberAfter = (args: readonly string[], option: string, fallback: number): number => {
  const at = args.indexOf(option);
  const value = at >= 0 ? Number(args[at + 1]) : fallback;
  if (!Number.isInteger(value) || value < 0) throw new Error(`${option} takes a whole number, not ${args[at + 1]}`);
  return value;
};

const show = (draft: WorldDraft): void => {
  console.log(`\n== ${draft.id}: ${draft.company.about}`);
  for (const { spec, prefix } of draft.services) {
    console.log(`-- ${spec.id} in ${spec.surface.dialect}: ${spec.title}. ${spec.description}`);
    for (const [name, compiled] of compileService(spec).tools) {
      const told = describeTool(prefix + name, spec.id, compiled);
      console.log(`${told.name}: ${told.description}\n    ${JSON.stringify(told.inputSchema)}`);
    }
  }
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const worlds = numberAfter(args, '--worlds', args.includes('--small') ? 40 : 1_000);
  const shown = numberAfter(args, '--show', 0);
  const drafts = draftsOf(sweep(countriesOf('50'), industriesOf('all', SEED), SEED), SEED);
  const counts = new SurfaceCounts();
  const growth: { worlds: number; distinct: number }[] = [];
  let authoringUs = 0;
  for (let index = 0; index < worlds; index++) {
    const before = process.cpuUsage();
    const draft = drafts.draft(index, 0);
    const spent = process.cpuUsage(before);
    authoringUs += spent.user + spent.system;
    if (index < shown) show(draft);
    const { company, services, invariants } = draft;
    const world = {
      company,
      invariants,
      rows: {},
      services: services.map(({ spec, role, prefix }) => ({ id: spec.id, hash: '', role, prefix })),
    };
    counts.add(
      surfaceOf(
        world,
        services.map(({ spec }) => spec),
      ),
    );
    const done = index + 1;
    if (done === worlds || (done >= 50 && Number.isInteger(Math.log2(worlds / done)))) {
      const { tools, distinct_tool_schemas, identical_list_share, identical_core_share } = counts.figures();
      growth.push({ worlds: done, distinct: distinct_tool_schemas });
      console.log(
        JSON.stringify({ worlds: done, tools, distinct_tool_schemas, identical_list_share, identical_core_share }),
      );
    }
  }
  const [last, half] = [growth.at(-1), growth.at(-2)];
  // Heaps' law: distinct things grow as a power of what was seen; the exponent falls with size, so this is an upper estimate.
  const exponent = last && half ? Math.log2(last.distinct / half.distinct) : undefined;
  const figures = counts.figures();
  return {
    worlds,
    distinct_tool_schemas: figures.distinct_tool_schemas,
    growth_exponent: exponent === undefined ? undefined : Number(exponent.toFixed(3)),
    drawn_out_to: WHOLE,
    distinct_drawn_out:
      exponent === undefined || !last ? undefined : Math.round(last.distinct * (WHOLE / last.worlds) ** exponent),
    identical_list_share: figures.identical_list_share,
    identical_core_share: figures.identical_core_share,
    most_alike: figures.most_alike.slice(0, 5),
    authoring_cpu_ms_per_world: Number((authoringUs / 1000 / worlds).toFixed(2)),
  };
};
