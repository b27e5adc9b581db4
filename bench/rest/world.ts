/** A document's face on a seeded world, in process, for measuring what its tools do. */

import { ServiceSpec } from '../../src/artifacts/service.js';
import { assembleWorld } from '../../src/author/assemble.js';
import { drawClock } from '../../src/author/catalogue/brief/clock.js';
import { drawCompany } from '../../src/author/catalogue/brief/company.js';
import { readText } from '../../src/author/catalogue/brief/text.js';
import { type AuthoredFace, authorFace } from '../../src/author/face/author.js';
import { type Schemas, schemasOf } from '../../src/author/openapi/schema.js';
import { type HttpOperation, httpOperations } from '../../src/document/http.js';
import { parseDocumentText } from '../../src/document/parse.js';
import { refsOf } from '../../src/document/refs.js';
import { rng } from '../../src/kit/rng.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { type LoadedWorld, loadWorld } from '../../src/world/loaded.js';
import type { Engine } from '../../src/world/state/engine.js';

export interface Opened extends AuthoredFace {
  operations: Map<string, HttpOperation>;
  schemas: Schemas;
  /** Undefined where nothing of the document can hold state. */
  live: { world: LoadedWorld; session: Session; fork(): Session } | undefined;
}

const me = callerOf({ name: 'Bo Lund', email: 'bo.lund@bench.example' });

export const openFace = (engine: Engine, name: string, text: string, seed: string): Opened => {
  const document = parseDocumentText(text);
  const made = authorFace(document, { name, seed });
  const refs = refsOf(document.root);
  const operations = new Map(httpOperations(document.root, refs).map((one) => [one.label, one]));
  const base = { ...made, operations, schemas: schemasOf(refs) };
  const { spec } = made;
  if (!spec) return { ...base, live: undefined };
  ServiceSpec.parse(spec);
  const draw = rng(seed, 'fake', spec.id);
  const where = { code: 'US', city: undefined, evidence: [] };
  const brief = readText(spec.title);
  const { company } = drawCompany({ brief, where, language: 'en', trade: undefined, pins: {}, rng: draw.stream('c') });
  const built = assembleWorld(engine, {
    id: spec.id,
    company,
    brief: { text: spec.title, evidence: [] },
    clock: drawClock(draw.stream('clock')),
    seed,
    services: [{ spec, role: 'domain', prefix: '' }],
    links: [],
    policies: [],
    invariants: [],
    processes: [],
  });
  const world = loadWorld(engine, built, { lazy: true });
  const fork = (): Session => Session.open(world, { id: 's', me, isUnversioned: true });
  return { ...base, live: { world, session: fork(), fork } };
};
