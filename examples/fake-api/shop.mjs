// The application under test: a shop that takes orders over somebody's orders API. It knows nothing of Treadle.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 3;
const PAUSE_MS = 10;

const client =
  ({ api, key }) =>
  async (method, path, body) => {
    for (let left = TRIES - 1; ; left--) {
      const answer = await fetch(api + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if ((answer.status === 503 || answer.status === 429) && left > 0) {
        await sleep(PAUSE_MS);
        continue;
      }
      const said = await answer.json();
      if (!answer.ok) throw new Error(`${answer.status}: ${said.error.message}`);
      return said;
    }
  };

export const makeShop = (settings) => {
  const ask = client(settings);
  const customerFor = async ({ name, email }) => {
    const { data } = await ask('GET', `/customers?email=${encodeURIComponent(email)}`);
    return data[0] ?? ask('POST', '/customers', { name, email });
  };
  return {
    /** Orders and pays; the buyer is made known to the API at the first order. */
    buy: async (buyer, product, quantity) => {
      const { price } = await ask('GET', `/products/${product}`);
      const { id: customer_id } = await customerFor(buyer);
      const order = await ask('POST', '/orders', { customer_id, product_id: product, quantity });
      const paid = await ask('POST', `/orders/${order.id}/pay`);
      return { id: paid.id, status: paid.status, total: price * quantity };
    },
    /** Takes a webhook of the API; false where it is not the API's. */
    takeWebhook: ({ headers, text }, shipped) => {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature = '' } = headers;
      const own = `v1,${createHmac('sha256', settings.secret).update(`${id}.${at}.${text}`).digest('base64')}`;
      if (own.length !== signature.length || !timingSafeEqual(Buffer.from(own), Buffer.from(signature))) return false;
      const { type, data } = JSON.parse(text);
      if (type === 'order.paid') shipped.push(data.id);
      return true;
    },
  };
};
