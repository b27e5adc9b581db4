/** subscriptions/listen (2026-07-28): one long answer, on which the changes arrive that the client asked for. */
import { ErrorCode, failure, isObject, type Reply, success } from '../messages.js';
import type { Request } from '../methods.js';
import { allLists, type Changes, changeMessage, MOST_WATCHED, type Wanted, wants } from './changes.js';
import type { Features } from './features.js';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

const isUris = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= MOST_WATCHED && value.every((uri) => typeof uri === 'string');

/** What is both asked for and there to be told; a string says what is wrong with the filter. */
const agreedOn = (filter: unknown, features: Features): Wanted | string => {
  if (!isObject(filter)) return 'params.notifications must be an object';
  const agreed: Wanted = {};
  for (const name of Object.keys(allLists(features)) as (keyof ReturnType<typeof allLists>)[]) {
    const asked = filter[name];
    if (asked !== undefined && typeof asked !== 'boolean') return `params.notifications.${name} must be true or false`;
    if (asked === true) Object.assign(agreed, { [name]: true });
  }
  const { resourceSubscriptions: uris } = filter;
  if (uris === undefined) return agreed;
  if (!isUris(uris)) return `params.notifications.resourceSubscriptions must be at most ${MOST_WATCHED} strings`;
  return features.resources?.subscribe ? { ...agreed, resourceSubscriptions: uris } : agreed;
};

/** Resolves when the client has gone (to nothing) or the server closes (to the result). */
export const listen = (
  features: Features,
  changes: Changes,
  server: object,
  request: Request,
): Promise<Reply> | Reply => {
  const { id, params, exchange } = request;
  const { outlet } = exchange;
  const agreed = agreedOn(params.notifications, features);
  if (typeof agreed === 'string') return failure(id, ErrorCode.invalidParams, agreed);
  if (outlet === undefined)
    return failure(id, ErrorCode.refused, 'This needs a client that accepts text/event-stream', 406);
  const tag = { [SUBSCRIPTION_KEY]: id };
  const acknowledged = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: agreed, _meta: tag },
  });
  if (!outlet.send(acknowledged)) return failure(id, ErrorCode.refused, 'No room for another stream', 503);
  return new Promise((resolve) => {
    const stop = changes.listen(
      (change) => {
        if (wants(agreed, change)) outlet.send(changeMessage(change, tag));
      },
      () => resolve(success(id, JSON.stringify({ resultType: 'complete', _meta: { ...server, ...tag } }))),
    );
    const left = (): void => {
      stop();
      resolve({ status: 200 });
    };
    if (outlet.gone.aborted) left();
    else outlet.gone.addEventListener('abort', left, { once: true });
  });
};
