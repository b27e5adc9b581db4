// Stripe's own client: customers, paging, invoices and their actions.
// needs {"package":"stripe@23.1.0","document":"stripe.com.json"}
import Stripe from 'stripe';

export const walk = async ({ port, step, sql, same, must, tableOf }) => {
  const stripe = new Stripe('sk_test_walk', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const customer = await step('customers.create', async () => {
    const made = await stripe.customers.create({
      name: 'Ines Okafor',
      email: 'ines@example.com',
      description: 'From the walk',
      metadata: { order: '6735' },
      address: { line1: '12 Mill Lane', city: 'Leeds', country: 'GB' },
    });
    same(made.object, 'customer');
    same(made.name, 'Ines Okafor');
    must(made.id.length > 3, 'no id');
    return made;
  });
  await step('customers.create: the row in SQL', () => {
    const rows = sql(`SELECT * FROM "${tableOf('POST /v1/customers')}" WHERE id = ?`, customer.id);
    same(rows.length, 1, 'rows');
    same(rows[0].email, 'ines@example.com');
  });
  await step('customers.retrieve: all that was sent comes back', async () => {
    const back = await stripe.customers.retrieve(customer.id);
    same(back.email, 'ines@example.com');
    same(back.metadata, { order: '6735' }, 'metadata');
    same(back.address?.city, 'Leeds', 'address.city');
  });
  await step('customers.list: one page', async () => {
    const page = await stripe.customers.list({ limit: 3 });
    same(page.object, 'list');
    same(page.data.length, 3, 'rows');
    same(page.has_more, true, 'has_more');
  });
  await step('customers.list: auto-paging sees every row once', async () => {
    const seen = [];
    for await (const one of stripe.customers.list({ limit: 3 })) {
      seen.push(one.id);
      if (seen.length > 500) throw new Error('paging does not end');
    }
    const [{ n }] = sql(`SELECT count(*) AS n FROM "${tableOf('GET /v1/customers')}"`);
    same(new Set(seen).size, seen.length, 'distinct ids');
    same(seen.length, n, 'rows');
    must(seen.includes(customer.id), 'the new customer is not among them');
  });
  await step('customers.list: filter by email', async () => {
    const page = await stripe.customers.list({ email: 'ines@example.com' });
    same(
      page.data.map(({ id }) => id),
      [customer.id],
    );
  });
  await step('customers.update', async () => {
    const changed = await stripe.customers.update(customer.id, { description: 'Changed', metadata: { order: '7000' } });
    same(changed.description, 'Changed');
    same(changed.metadata.order, '7000', 'metadata.order');
    same((await stripe.customers.retrieve(customer.id)).description, 'Changed');
  });
  const product = await step('products.create', () => stripe.products.create({ name: 'Oat biscuits' }));
  const price = await step('prices.create with a product', async () => {
    const made = await stripe.prices.create({ currency: 'gbp', unit_amount: 240, product: product.id });
    same(made.unit_amount, 240);
    return made;
  });
  await step('prices.retrieve', async () => {
    const back = await stripe.prices.retrieve(price.id);
    same(back.currency, 'gbp');
    same(typeof back.product === 'string' ? back.product : back.product?.id, product.id, 'product');
  });
  const invoice = await step('invoices.create for the customer', async () => {
    const made = await stripe.invoices.create({ customer: customer.id, description: 'March' });
    same(typeof made.customer === 'string' ? made.customer : made.customer?.id, customer.id, 'customer');
    return made;
  });
  await step('invoices.finalizeInvoice (an action)', async () => {
    const done = await stripe.invoices.finalizeInvoice(invoice.id);
    same(done.status, 'open', 'status');
  });
  await step('invoices.voidInvoice (an action): the row in SQL', async () => {
    const done = await stripe.invoices.voidInvoice(invoice.id);
    same(done.status, 'void', 'status');
    const [row] = sql(`SELECT * FROM "${tableOf('POST /v1/invoices')}" WHERE id = ?`, invoice.id);
    same(row?.status, 'void', 'status in SQL');
  });
  await step('paymentIntents.create, confirm, cancel', async () => {
    const made = await stripe.paymentIntents.create({ amount: 1200, currency: 'gbp', customer: customer.id });
    same(made.amount, 1200);
    const cancelled = await stripe.paymentIntents.cancel(made.id);
    same(cancelled.status, 'canceled', 'status');
  });
  await step('idempotency key: one row for two requests', async () => {
    const ask = () => stripe.customers.create({ email: 'once@example.com' }, { idempotencyKey: 'walk-1' });
    const [one, two] = [await ask(), await ask()];
    same(two.id, one.id);
  });
  await step('an unknown id is a StripeInvalidRequestError with 404', async () => {
    const error = await stripe.customers.retrieve('cus_nothing_here').then(
      () => undefined,
      (thrown) => thrown,
    );
    same(error?.type, 'StripeInvalidRequestError', 'type');
    same(error?.statusCode, 404, 'status');
  });
  await step('a missing parameter is a StripeInvalidRequestError', async () => {
    const error = await stripe.prices.create({ product: product.id }).then(
      () => undefined,
      (thrown) => thrown,
    );
    same(error?.type, 'StripeInvalidRequestError', 'type');
    must(error?.statusCode === 400 || error?.statusCode === 422, `status ${error?.statusCode}`);
    must(/currency/.test(`${error?.param} ${error?.message}`), `says nothing of currency: ${error?.message}`);
  });
  await step('customers.del', async () => {
    const fresh = await stripe.customers.create({ email: 'gone@example.com' });
    const gone = await stripe.customers.del(fresh.id);
    same(gone.deleted, true, 'deleted');
    same(gone.id, fresh.id, 'id');
    same(sql(`SELECT * FROM "${tableOf('POST /v1/customers')}" WHERE id = ?`, fresh.id).length, 0, 'rows in SQL');
  });
};
