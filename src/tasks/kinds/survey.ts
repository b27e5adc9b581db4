/** Tries one family over a whole world: what it proposes, what the gate keeps, and what stops the rest. For measurements and docs. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Call, Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { FamilyEntry } from '../atomic/families.js';
import { taskOf } from '../atomic/task.js';
import { gate } from '../gate.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';
import { toolsOf } from '../ground/reveal.js';
import { release } from '../pool.js';

export interface Survey {
  /** Tries: a tool, and what the family made of it. */
  tried: number;
  /** Tries that gave a candidate. */
  proposed: number;
  kept: { task: Task; certificate: Certificate }[];
  /** By gate line; a task that fails several counts at the first. */
  stopped: Record<string, number>;
  /** First evidence of each task that was stopped. */
  evidence: string[];
  /** Why no candidate was made. */
  without: Record<string, number>;
}

export const emptySurvey = (): Survey => ({ tried: 0, proposed: 0, kept: [], stopped: {}, evidence: [], without: {} });

export interface SurveyOptions {
  random: Rng;
  /** Tasks wanted of this world. */
  wanted: number;
  /** Tries at most. */
  tries: number;
  stray: Call | undefined;
}

const more = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

/** Tools of a world that a family grows on. */
export const sitesFor = (ground: Ground, family: FamilyEntry): NamedTool[] =>
  [...ground.world.services.values()].flatMap((service) =>
    toolsOf(ground.world, service.id).filter(
      (tool) =>
        family.growsOn(tool, ground.world) &&
        (service.role === 'domain' || tool.tool.tool.writes.length === 0 || family.name === 'message'),
    ),
  );

/** Adds to `into`; one task a template. */
export const survey = (ground: Ground, family: FamilyEntry, options: SurveyOptions, into: Survey): void => {
  const { random, wanted, tries, stray } = options;
  const sites = random.shuffle(sitesFor(ground, family));
  const templates = new Set<string>();
  let kept = 0;
  for (let turn = 0; sites.length > 0 && turn < tries && kept < wanted; turn++) {
    const stream = random.stream(`try-${turn}`);
    into.tried++;
    const candidate = family.make(ground, sites[turn % sites.length] as NamedTool, stream);
    if (typeof candidate === 'string') {
      more(into.without, candidate);
      continue;
    }
    if (templates.has(candidate.template)) {
      release(candidate);
      continue;
    }
    templates.add(candidate.template);
    into.proposed++;
    const id = `${ground.world.spec.id}-${candidate.family}-${turn}`
      .replaceAll('_', '-')
      .slice(-80)
      .replace(/^[^a-z]+/, '');
    const task = taskOf(ground, candidate, id, stream);
    const { otherPath: other, wrong, right } = candidate;
    const certificate = gate(candidate.grounded?.ground ?? ground, task, {
      random: stream,
      stray,
      other,
      wrong,
      right,
    });
    release(candidate);
    if (certificate.pass) {
      kept++;
      into.kept.push({ task, certificate });
      continue;
    }
    const failed = certificate.findings.find(({ pass }) => !pass);
    more(into.stopped, failed?.id ?? 'unknown');
    into.evidence.push(`${failed?.id}: ${failed?.evidence[0] ?? ''} | ${task.brief}`);
  }
};
