/** What every test of the model author needs: an engine's certifier and an endpoint that follows a script. */
import type { Certificate } from '../../src/artifacts/certificate.js';
import { assembleWorld } from '../../src/author/assemble.js';
import { authorWithModel } from '../../src/author/model/author.js';
import type { Authored, AuthorRequest, Certify } from '../../src/author/model/types.js';
import { certifierOf } from '../../src/cli/pipeline/model-author.js';
import { sha256 } from '../../src/kit/hash.js';
import { endpoint } from '../../src/models/client.js';
import { loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { type Endpoint, type Script, serve } from './scripted.js';

export const BRIEF = 'A tool library in Utrecht that lends drills and ladders to its members, who pay a yearly fee.';

export const engine = await Engine.start();
export const certify = certifierOf(engine);

export interface Scripted extends Authored {
  asked: Endpoint['asked'];
}

/** Authors with a scripted model in loopback; the endpoint is closed behind it. */
export const authorScripted = async (script: Script, more: Partial<AuthorRequest> = {}): Promise<Scripted> => {
  const at = await serve(script);
  try {
    const model = endpoint({ baseUrl: at.baseUrl, model: 'small', maxRetries: 0, backoffMs: 1, timeoutMs: 1000 });
    const authored = await authorWithModel({ model, source: { brief: BRIEF }, seed: '1', certify, ...more });
    return { ...authored, asked: at.asked };
  } finally {
    await at.close();
  }
};

const passed = (name: string, kind: 'service' | 'world'): Certificate => ({
  treadle: 'certificate/1',
  kind,
  subject: sha256(name),
  name,
  pass: true,
  findings: [],
});

/** Passes whatever assembles and loads, for tests that are not about certificates. */
export const lenientCertify: Certify = (draft) => {
  const loaded = loadWorld(engine, assembleWorld(engine, draft));
  unloadWorld(loaded);
  return {
    world: passed(draft.id, 'world'),
    services: Object.fromEntries(draft.services.map(({ spec }) => [spec.id, passed(spec.id, 'service')])),
  };
};

/** Tool ids of a service of the draft, sorted. */
export const toolsOf = ({ draft }: Authored, id: string): string[] =>
  Object.values(draft.services.find(({ spec }) => spec.id === id)?.spec.tools ?? {})
    .map((tool) => tool.id)
    .sort();

export const domainOf = ({ draft }: Authored): string[] =>
  draft.services.filter(({ role }) => role === 'domain').map(({ spec }) => spec.id);
