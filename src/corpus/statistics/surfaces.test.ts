import { expect, it } from 'vitest';
import type { WorldSurface } from '../surface.js';
import { SurfaceCounts } from './surfaces.js';

const service = (
  id: string,
  schemas: string[],
  role: 'core' | 'domain' = 'domain',
): WorldSurface['services'][number] => ({
  id,
  role,
  dialect: 'plain',
  tables: [`${id}_row`],
  tools: schemas.map((_, i) => `t${i}`),
  schemas,
});

const world = (...services: WorldSurface['services']): WorldSurface => ({
  treadle: 'surface/1',
  company: 'C',
  country: 'FR',
  industry: { naics: '62', title: 'Health' },
  rows: 1,
  invariants: 1,
  services,
});

const figuresOf = (...worlds: WorldSurface[]): ReturnType<SurfaceCounts['figures']> => {
  const counts = new SurfaceCounts();
  for (const each of worlds) counts.add(each);
  return counts.figures();
};

it('counts pairs that share a service and show the same list, in any order', () => {
  const figures = figuresOf(
    world(service('billing', ['a', 'b']), service('mail', ['m'], 'core')),
    world(service('billing', ['b', 'a']), service('mail', ['m'], 'core')),
    world(service('billing', ['a', 'c']), service('mail', ['m'], 'core')),
    world(service('crm', ['x']), service('mail', ['m'], 'core')),
  );
  expect(figures).toMatchObject({
    tools: 4,
    tables: 3,
    service_combinations: 2,
    distinct_tool_schemas: 5,
    identical_list_share: 0.3333,
    identical_core_share: 1,
    most_alike: [{ service: 'billing', worlds: 3, identical_list_share: 0.3333 }],
  });
});

it('of no world and of one world are zeros', () => {
  for (const worlds of [[], [world(service('crm', ['x']))]])
    expect(figuresOf(...worlds)).toMatchObject({ identical_list_share: 0, identical_core_share: 0, most_alike: [] });
});
