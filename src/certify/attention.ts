/** What a person should look at in a certified world: what failed, what was left out, and what is thin. */
import type { Certificate } from '../artifacts/certificate.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { WorldSpec } from '../artifacts/world.js';

export interface Attention {
  kind: 'failed' | 'left_out' | 'thin';
  /** World, service, tool or invariant. */
  what: string;
  why: string;
}

export interface Looked {
  world: WorldSpec;
  services: readonly ServiceSpec[];
  certificates: Readonly<Record<string, Certificate>>;
  /** What repairs left out while the world was made. */
  leftOut: readonly { what: string; why: string }[];
  tasks: { kept: number; dropped: number };
}

const LEAST_TOOLS = 5;
const LEAST_ROWS = 3;

const failed = ({ certificates }: Looked): Attention[] =>
  Object.entries(certificates).flatMap(([name, { findings }]) =>
    findings
      .filter(
        ({ id, pass }) =>
          !pass && (name === 'world' || !certificates.world?.findings.some((each) => each.id === id && each.pass)),
      )
      .map(({ id, evidence, repair }) => ({
        kind: 'failed' as const,
        what: `${name} ${id}`,
        why: `${evidence[0] ?? ''}${repair ? ` [${repair.part}] ${repair.hint}` : ''}`,
      })),
  );

const thin = ({ world, services, tasks }: Looked): Attention[] => {
  const out: Attention[] = [];
  const add = (what: string, why: string): void => void out.push({ kind: 'thin', what, why });
  const domain = services.filter(({ source }) => source.kind !== 'core');
  for (const { id, tools, tables } of domain) {
    const count = Object.keys(tools).length;
    if (count < LEAST_TOOLS) add(id, `has ${count} tools`);
    const sparse = Object.keys(tables).filter((table) => (world.rows[id]?.[table] ?? 0) < LEAST_ROWS);
    if (sparse.length > 0) add(id, `fewer than ${LEAST_ROWS} rows in ${sparse.join(', ')}`);
  }
  if (world.invariants.length === 1) add(world.id, 'has only one invariant');
  if (tasks.kept === 0 && tasks.dropped > 0) add(world.id, `none of ${tasks.dropped} drafted tasks passed the gate`);
  else if (tasks.dropped > tasks.kept)
    add(world.id, `${tasks.dropped} of ${tasks.kept + tasks.dropped} tasks were dropped`);
  return out;
};

/** The worst first. */
export const attentionOf = (looked: Looked): Attention[] => [
  ...failed(looked),
  ...looked.leftOut.map(({ what, why }) => ({ kind: 'left_out' as const, what, why })),
  ...thin(looked),
];
