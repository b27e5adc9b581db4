// Twilio's own client, whose requests are sent to the fake by a client of its RequestClient interface.
// needs {"package":"twilio@6.3.1","document":"twilio.com/api.json"}
import twilio from 'twilio';

const { RequestClient } = twilio;

class Turned extends RequestClient {
  constructor(url) {
    super({ timeout: 10_000 });
    this.base = url;
  }
  request(options) {
    const { pathname, search } = new URL(options.uri);
    return super.request({ ...options, uri: `${this.base}${pathname}${search}` });
  }
}

export const walk = async ({ url, step, sql, same, must, tableOf }) => {
  const sid = await step('accounts.list: an account that is there', async () => {
    const client = twilio('AC0123456789abcdef0123456789abcdef', 'walk', { httpClient: new Turned(url) });
    const [account] = await client.api.v2010.accounts.list({ limit: 1 });
    must(/^AC[0-9a-f]{32}$/.test(account?.sid), `sid ${account?.sid}`);
    return account.sid;
  });
  const client = twilio('AC0123456789abcdef0123456789abcdef', 'walk', { httpClient: new Turned(url), accountSid: sid });
  const message = await step('messages.create', async () => {
    const made = await client.messages.create({
      to: '+15005550006',
      from: '+15005550001',
      body: 'Your parcel is here',
    });
    same(made.body, 'Your parcel is here');
    must(/^(SM|MM)[0-9a-f]{32}$/.test(made.sid), `sid ${made.sid}`);
    return made;
  });
  await step('messages.create: the row in SQL', () => {
    const rows = sql(
      `SELECT * FROM "${tableOf('POST /2010-04-01/Accounts/{AccountSid}/Messages.json')}" WHERE body = ?`,
      'Your parcel is here',
    );
    same(rows.length, 1, 'rows');
  });
  await step('messages(sid).fetch', async () => {
    const back = await client.messages(message.sid).fetch();
    same(back.body, 'Your parcel is here');
    same(back.to, '+15005550006', 'to');
  });
  await step('messages.list: every one once, over pages', async () => {
    for (let n = 0; n < 6; n++)
      await client.messages.create({ to: '+15005550006', from: '+15005550001', body: `Part ${n}` });
    const all = await client.messages.list({ pageSize: 3 });
    same(new Set(all.map((one) => one.sid)).size, all.length, 'distinct');
    must(
      all.some((one) => one.sid === message.sid),
      'the new one is not among them',
    );
    const [{ n }] = sql(
      `SELECT count(*) AS n FROM "${tableOf('POST /2010-04-01/Accounts/{AccountSid}/Messages.json')}" WHERE account_sid = ?`,
      sid,
    );
    same(all.length, n, 'rows');
  });
  await step('messages(sid).update: redacts the body', async () => {
    const changed = await client.messages(message.sid).update({ body: '' });
    same(changed.body, '', 'body');
  });
  await step('messages(sid).update: cancels (an action)', async () => {
    const changed = await client.messages(message.sid).update({ status: 'canceled' });
    same(changed.status, 'canceled', 'status');
  });
  const call = await step('calls.create', () =>
    client.calls.create({ to: '+15005550006', from: '+15005550001', url: 'http://example.com/voice.xml' }),
  );
  await step('calls(sid).update: completes it (an action)', async () => {
    const changed = await client.calls(call.sid).update({ status: 'completed' });
    same(changed.status, 'completed', 'status');
  });
  const queue = await step('queues.create', async () => {
    const made = await client.queues.create({ friendlyName: 'Returns', maxSize: 20 });
    same(made.friendlyName, 'Returns');
    same(made.maxSize, 20, 'maxSize');
    return made;
  });
  await step('queues(sid).fetch', async () => same((await client.queues(queue.sid).fetch()).friendlyName, 'Returns'));
  await step('queues(sid).remove', async () => {
    same(await client.queues(queue.sid).remove(), true);
    same(
      sql(`SELECT * FROM "${tableOf('POST /2010-04-01/Accounts/{AccountSid}/Queues.json')}" WHERE sid = ?`, queue.sid)
        .length,
      0,
      'rows in SQL',
    );
  });
  await step('an unknown sid is a RestException with 404', async () => {
    const error = await client
      .messages('SM00000000000000000000000000000000')
      .fetch()
      .then(
        () => undefined,
        (thrown) => thrown,
      );
    same(error?.status, 404, 'status');
  });
  await step('a message without a recipient is refused', async () => {
    const error = await client.request({
      method: 'post',
      uri: `https://api.twilio.com/2010-04-01/Accounts/${sid}/Messages.json`,
      data: { Body: 'To nobody' },
    });
    must(error.statusCode === 400 || error.statusCode === 422, `status ${error.statusCode}`);
  });
};
