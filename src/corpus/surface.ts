/** What a world shows of itself, small enough to be read by the thousand: worlds/<id>/surface.json. Made of its specs, never read by them. */
import { z } from 'zod';
import type { ServiceSpec } from '../artifacts/service.js';
import type { WorldSpec } from '../artifacts/world.js';
import { canonicalJson, type Json, sha256 } from '../kit/hash.js';
import { describeTool } from '../serve/sessions/describe.js';
import { compileService } from '../world/program/compile.js';

const count = z.number().int().min(0);

export const WorldSurface = z.object({
  treadle: z.literal('surface/1'),
  company: z.string(),
  country: z.string(),
  industry: z.object({ naics: z.string(), title: z.string() }),
  rows: count,
  invariants: count,
  services: z.array(
    z.object({
      id: z.string(),
      role: z.enum(['core', 'domain']),
      dialect: z.string(),
      tables: z.array(z.string()),
      /** Ids of the tools, which are the same in every dialect. */
      tools: z.array(z.string()),
      /** A hash of each tool's name and input schema as agents see them, in the order of `tools`. */
      schemas: z.array(z.string()),
    }),
  ),
});

export type WorldSurface = z.infer<typeof WorldSurface>;

/** 60 bits tell a million schemas apart. */
const HEX_DIGITS = 15;

/** The surface of a world of these services, given in any order. */
export const surfaceOf = (
  world: Pick<WorldSpec, 'company' | 'rows' | 'invariants' | 'services'>,
  services: readonly ServiceSpec[],
): WorldSurface => ({
  treadle: 'surface/1',
  company: world.company.name,
  country: world.company.country,
  industry: { naics: world.company.industry.naics, title: world.company.industry.title },
  rows: Object.values(world.rows)
    .flatMap((tables) => Object.values(tables))
    .reduce((sum, n) => sum + n, 0),
  invariants: world.invariants.length,
  services: world.services.flatMap(({ id, role, prefix }) => {
    const spec = services.find((candidate) => candidate.id === id);
    if (!spec) return [];
    const tools = [...compileService(spec).tools];
    return [
      {
        id,
        role,
        dialect: spec.surface.dialect,
        tables: Object.keys(spec.tables),
        tools: tools.map(([, { tool }]) => tool.id),
        schemas: tools.map(([name, compiled]) => {
          const shown = describeTool(prefix + name, id, compiled);
          return sha256(canonicalJson([shown.name, shown.inputSchema as Json])).slice(0, HEX_DIGITS);
        }),
      },
    ];
  }),
});
