/** Where a template came from: the families and tools that may make another task of the same structure. */
import { FAMILIES, type FamilyEntry } from '../atomic/families.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';
import { toolsOf } from '../ground/reveal.js';

export interface Site {
  family: FamilyEntry;
  tool: NamedTool;
}

/** The templates of an errand's parts; a template itself otherwise. */
export const partsOf = (template: string): string[] =>
  template.startsWith('errand:') ? template.slice('errand:'.length).split(/\+(?=[a-z]+:)/) : [template];

/** A conditional's two outcomes are of one structure. */
export const structureOf = (template: string): string => template.replace(/\.(yes|no)$/, '');

/** Tools on which a family may make something of the template: the very tool where the template names one, else those of its table. */
export const sitesOf = (ground: Ground, template: string): Site[] => {
  const [name = '', rest = ''] = [template.slice(0, template.indexOf(':')), template.slice(template.indexOf(':') + 1)];
  const [service = '', table = ''] = rest.split('.');
  const own = FAMILIES.filter((family) => (family.gives ?? [family.name]).includes(name));
  const sites = own.flatMap((family) =>
    toolsOf(ground.world, service)
      .filter((tool) => family.growsOn(tool, ground.world))
      .map((tool) => ({ family, tool })),
  );
  const exact = sites.filter(({ tool }) => `${rest}.`.startsWith(`${service}.${tool.tool.tool.id}.`));
  return exact.length > 0 ? exact : sites.filter(({ tool }) => tool.tool.tool.table === table);
};
