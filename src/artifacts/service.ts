/** ServiceSpec: one tool service as data (service-ir.md). */
import { z } from 'zod';
import { Surface } from './surface.js';
import { Name, Table } from './table.js';
import { Tool } from './tool.js';

/** At most 64 characters; unique in a service without regard to case, since SQLite, MCP clients and file systems differ on it. */
export const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
/** Names that the gym protocols use for themselves (serving.md). */
export const RESERVED_TOOL_NAMES = [
  'reset',
  'step',
  'state',
  'close',
  'verify',
  'seed_session',
  'aggregate_metrics',
  'mcp',
] as const;

export const ServiceSource = z.strictObject({
  kind: z.enum(['openapi', 'mcp', 'catalogue', 'model', 'core', 'manual']),
  /** Document title, archetype name, or file name; never a machine path. */
  ref: z.string(),
  archetype: Name.optional(),
  version: z.string().optional(),
});

export const ServiceSpec = z.strictObject({
  treadle: z.literal('service/1'),
  id: Name,
  title: z.string().min(1),
  description: z.string(),
  source: ServiceSource,
  tables: z.record(Name, Table),
  tools: z.record(z.string().regex(TOOL_NAME), Tool),
  surface: Surface,
});

export type ServiceSource = z.infer<typeof ServiceSource>;
export type ServiceSpec = z.infer<typeof ServiceSpec>;
