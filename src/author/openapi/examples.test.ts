import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceSpec } from '../../artifacts/service.js';
import { compileService } from '../../world/program/compile.js';
import { authorFromDocument } from './author.js';

const folder = dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'));
const files = (readdirSync(folder, { recursive: true }) as string[])
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /^[23]\.\d\/(json|yaml)\/.*\.(json|yaml)$/.test(name))
  .sort();

describe('@readme/oas-examples', () => {
  it('has documents', () => expect(files.length).toBeGreaterThan(60));

  it.each(files)('%s becomes services that compile, or is refused with a reason', (name) => {
    const { services, report } = authorFromDocument(readFileSync(join(folder, name), 'utf8'), {
      name,
      seed: 'examples',
    });
    if (services.length === 0) {
      expect(report.refused?.reasons[0]?.length).toBeGreaterThan(10);
      expect(report.refused?.next).toBeTruthy();
    }
    for (const spec of services) {
      ServiceSpec.parse(spec);
      expect(compileService(spec).tools.size).toBeLessThanOrEqual(40);
    }
    expect(report.unmapped.length + report.tools).toBeGreaterThanOrEqual(report.operations);
  });

  it('finds a service in the petstores and the train', () => {
    const made = (name: string): number =>
      authorFromDocument(readFileSync(join(folder, name), 'utf8'), { name, seed: 's' }).services.length;
    for (const name of ['2.0/json/petstore.json', '3.0/json/petstore.json', '3.1/json/train-travel.json'])
      expect([name, made(name) > 0]).toEqual([name, true]);
  });
});
