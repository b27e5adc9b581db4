/** Repair: what a failed certificate blames on single tools or invariants is left out, and only then is anything given up. */
import type { Certificate } from '../artifacts/certificate.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Invariant, Link } from '../artifacts/world.js';
import type { InvariantStudy } from './invariants/study.js';
import { unreached } from './validators/service-graph.js';

/** Fewer tools than this are no service. */
export const LEAST_TOOLS = 3;

export interface Repair {
  spec: ServiceSpec;
  dropped: { tool: string; why: string }[];
}

/**
 * The service without the tools its certificate blames. Undefined when something else is at fault, or when what is left could
 * not be read and written any more.
 */
export const repairService = (spec: ServiceSpec, certificate: Certificate): Repair | undefined => {
  const dropped = new Map<string, string>();
  for (const finding of certificate.findings.filter(({ pass }) => !pass)) {
    const tools = finding.repair?.tools;
    if (!tools || tools.length === 0) return undefined;
    for (const tool of tools) {
      if (!Object.hasOwn(spec.tools, tool)) return undefined;
      if (!dropped.has(tool))
        dropped.set(
          tool,
          `${finding.id}: ${finding.evidence.find((line) => line.includes(tool)) ?? finding.evidence[0] ?? ''}`,
        );
    }
  }
  if (dropped.size === 0) return undefined;
  const kept = Object.fromEntries(Object.entries(spec.tools).filter(([name]) => !dropped.has(name)));
  const reads = Object.values(kept).some((tool) => tool.writes.length === 0);
  const writes = Object.values(kept).some((tool) => tool.writes.length > 0);
  if (Object.keys(kept).length < LEAST_TOOLS || !reads || !writes) return undefined;
  return { spec: { ...spec, tools: kept }, dropped: [...dropped].map(([tool, why]) => ({ tool, why })) };
};

export interface InvariantRepair {
  kept: Invariant[];
  dropped: { invariant: string; why: string }[];
}

/** The invariants without those at fault. Undefined when none is at fault, or when none would be left. */
export const repairInvariants = (studies: readonly InvariantStudy[]): InvariantRepair | undefined => {
  const kept = studies.filter(({ fault }) => !fault).map(({ invariant }) => invariant);
  if (kept.length === 0 || kept.length === studies.length) return undefined;
  const dropped = studies.flatMap(({ invariant, fault }) =>
    fault ? [{ invariant: invariant.id, why: `${fault.validator}: ${fault.line}` }] : [],
  );
  return { kept, dropped };
};

/** The links without the loose ones. Undefined when there is none, or when the services would fall apart. */
export const repairLinks = (
  services: readonly string[],
  links: readonly Link[],
  loose: readonly Link[],
): Link[] | undefined => {
  const gone = new Set(loose.map(({ id }) => id));
  const kept = links.filter(({ id }) => !gone.has(id));
  return gone.size === 0 || unreached(services, kept).length > 0 ? undefined : kept;
};
