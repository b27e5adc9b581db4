/** What every test of the model author needs: an engine's certifier and an endpoint that follows a script. */
import { authorWithModel } from '../../src/author/model/author.js';
import type { Authored, AuthorRequest } from '../../src/author/model/types.js';
import { certifierOf } from '../../src/cli/pipeline/model-author.js';
import { endpoint } from '../../src/models/client.js';
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
