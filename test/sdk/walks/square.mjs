// Square's own client: customers with cursors, locations, payments and their actions.
// needs {"package":"square@46.0.0","document":"squareup.com.json"}
import { SquareClient } from 'square';

export const walk = async ({ url, step, sql, same, must, tableOf }) => {
  const square = new SquareClient({ token: 'walk', baseUrl: url, environment: url, maxRetries: 0 });
  const customer = await step('customers.create', async () => {
    const { customer: made } = await square.customers.create({
      idempotencyKey: 'walk-1',
      givenName: 'Ines',
      familyName: 'Okafor',
      emailAddress: 'ines@example.com',
      address: { addressLine1: '12 Mill Lane', locality: 'Leeds' },
    });
    same(made.givenName, 'Ines');
    must(made.id, 'no id');
    return made;
  });
  await step('customers.create: the row in SQL', () => {
    same(
      sql(`SELECT * FROM "${tableOf('POST /v2/customers')}" WHERE given_name = 'Ines' AND family_name = 'Okafor'`)
        .length,
      1,
      'rows',
    );
  });
  await step('customers.get: all that was sent comes back', async () => {
    const { customer: back } = await square.customers.get({ customerId: customer.id });
    same(back.emailAddress, 'ines@example.com');
    same(back.address?.locality, 'Leeds', 'address.locality');
  });
  await step('customers.list: auto-paging by cursor sees every row once', async () => {
    const seen = [];
    for await (const one of await square.customers.list({ limit: 4 })) {
      seen.push(one.id);
      if (seen.length > 500) throw new Error('paging does not end');
    }
    const [{ n }] = sql(`SELECT count(*) AS n FROM "${tableOf('GET /v2/customers')}"`);
    same(new Set(seen).size, seen.length, 'distinct');
    same(seen.length, n, 'rows');
  });
  await step('customers.update', async () => {
    await square.customers.update({ customerId: customer.id, note: 'Prefers mornings' });
    same((await square.customers.get({ customerId: customer.id })).customer.note, 'Prefers mornings');
  });
  const payment = await step('payments.create', async () => {
    const { payment: made } = await square.payments.create({
      sourceId: 'cnon:card-nonce-ok',
      idempotencyKey: 'walk-2',
      amountMoney: { amount: BigInt(1200), currency: 'USD' },
      autocomplete: false,
      customerId: customer.id,
    });
    same(String(made.amountMoney?.amount), '1200', 'amountMoney.amount');
    return made;
  });
  await step('payments.cancel (an action)', async () => {
    const { payment: done } = await square.payments.cancel({ paymentId: payment.id });
    same(done.status, 'CANCELED', 'status');
  });
  await step('an unknown id is a SquareError', async () => {
    const error = await square.customers.get({ customerId: 'NOTHING' }).then(
      () => undefined,
      (thrown) => thrown,
    );
    same(error?.statusCode, 404, 'status');
  });
  await step('customers.delete', async () => {
    await square.customers.delete({ customerId: customer.id });
    same(sql(`SELECT * FROM "${tableOf('POST /v2/customers')}" WHERE id = ?`, customer.id).length, 0, 'rows in SQL');
  });
};
