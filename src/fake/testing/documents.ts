/** Documents for tests: compiled once a process, served as often as it is asked for. */
import type { WebhookOptions } from '../../serve/face/webhooks/webhooks.js';
import { openFake } from '../fake.js';
import { compiledOnce } from './compiled.js';
import { ownOf } from './own.js';
import { type Served, TEST_LIMITS } from './served.js';
import type { WebhookTarget, WorldOptions } from './types.js';

/** As the face takes it. */
export const webhookTarget = (webhooks: WorldOptions['webhooks']): WebhookOptions => {
  if (webhooks === undefined) return {};
  const { to, ...target }: WebhookTarget =
    typeof webhooks === 'object' && !(webhooks instanceof URL) ? webhooks : { to: webhooks };
  return { ...target, ...(to === undefined ? {} : { to: to instanceof URL ? to.href : to }) };
};

/** Throws what reading, compiling and listening throw, `bad_fault_rule` and `unknown_operation`. */
export const serveDocuments = async (
  documents: readonly { name: string; text: string }[],
  options: WorldOptions,
): Promise<Served> => {
  const source = { documents, seed: String(options.seed ?? 1), ...(await ownOf(options)) };
  const compiled = await compiledOnce(source);
  const fake = await openFake({
    ...source,
    compiled,
    limits: TEST_LIMITS,
    strict: options.strict === true,
    ...(options.faults ? { faults: options.faults } : {}),
    webhooks: webhookTarget(options.webhooks),
  });
  try {
    const { origin } = await fake.listen({ port: options.port ?? 0, unref: true });
    const { callers, rest, webhooks } = fake;
    return {
      callers,
      origin,
      operations: rest.operations,
      webhooks,
      fetch: (request) => fake.fetch(request),
      close: () => fake.close(),
    };
  } catch (thrown) {
    await fake.close();
    throw thrown;
  }
};
