// Slack's own client: an API of procedures, every one a POST with a form.
// needs {"package":"@slack/web-api@8.2.0","document":"slack.com.json"}
import { LogLevel, WebClient } from '@slack/web-api';

export const walk = async ({ url, step, sql, same, must, tableOf }) => {
  const slack = new WebClient('xoxb-walk', {
    slackApiUrl: `${url}/api/`,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });
  await step('auth.test', async () => same((await slack.auth.test()).ok, true));
  const channel = await step('conversations.create', async () => {
    const { channel: made, ok } = await slack.conversations.create({ name: 'walk' });
    same(ok, true);
    same(made.name, 'walk');
    return made;
  });
  await step('conversations.create: the row in SQL', () => {
    same(sql(`SELECT * FROM "${tableOf('POST /conversations.create')}" WHERE name = ?`, 'walk').length, 1, 'rows');
  });
  await step('conversations.info', async () => {
    const { channel: back } = await slack.conversations.info({ channel: channel.id });
    same(back.name, 'walk');
  });
  await step('conversations.list: auto-paging sees every channel once', async () => {
    const seen = [];
    for await (const page of slack.paginate('conversations.list', { limit: 3 })) {
      for (const { id } of page.channels) seen.push(id);
      if (seen.length > 500) throw new Error('paging does not end');
    }
    same(new Set(seen).size, seen.length, 'distinct');
    must(seen.includes(channel.id), 'the new channel is not among them');
  });
  await step('conversations.rename', async () => {
    const { channel: changed } = await slack.conversations.rename({ channel: channel.id, name: 'walked' });
    same(changed.name, 'walked');
    same((await slack.conversations.info({ channel: channel.id })).channel.name, 'walked');
  });
  await step('conversations.setTopic', async () => {
    await slack.conversations.setTopic({ channel: channel.id, topic: 'Walking' });
    const { channel: back } = await slack.conversations.info({ channel: channel.id });
    same(back.topic?.value, 'Walking', 'topic.value');
  });
  await step('conversations.archive (an action): the row in SQL', async () => {
    same((await slack.conversations.archive({ channel: channel.id })).ok, true);
    const { channel: back } = await slack.conversations.info({ channel: channel.id });
    same(back.is_archived, true, 'is_archived');
  });
  const message = await step('chat.postMessage', async () => {
    const made = await slack.chat.postMessage({ channel: channel.id, text: 'Hello' });
    same(made.ok, true);
    must(made.ts, 'no ts');
    return made;
  });
  await step('conversations.history has the message', async () => {
    const { messages } = await slack.conversations.history({ channel: channel.id });
    must(
      messages.some(({ text }) => text === 'Hello'),
      `not among ${messages.length}`,
    );
  });
  await step('chat.update', async () => {
    const changed = await slack.chat.update({ channel: channel.id, ts: message.ts, text: 'Hello all' });
    same(changed.text, 'Hello all', 'text');
  });
  await step('chat.delete', async () => {
    same((await slack.chat.delete({ channel: channel.id, ts: message.ts })).ok, true);
    const { messages } = await slack.conversations.history({ channel: channel.id });
    must(!messages.some(({ ts }) => ts === message.ts), 'it is still there');
  });
  await step('users.list and users.info', async () => {
    const { members } = await slack.users.list({});
    must(members.length > 0, 'no members');
    const { user } = await slack.users.info({ user: members[0].id });
    same(user.id, members[0].id);
  });
  await step('reminders.add, info, complete, delete', async () => {
    const { reminder } = await slack.reminders.add({ text: 'Water the plants', time: '1735732800' });
    same((await slack.reminders.info({ reminder: reminder.id })).reminder.text, 'Water the plants');
    same((await slack.reminders.complete({ reminder: reminder.id })).ok, true);
    same((await slack.reminders.delete({ reminder: reminder.id })).ok, true);
  });
  await step('an unknown channel is a platform error', async () => {
    const error = await slack.conversations.info({ channel: 'C000000000' }).then(
      () => undefined,
      (thrown) => thrown,
    );
    same(error?.code, 'slack_webapi_platform_error', 'code');
    must(typeof error?.data?.error === 'string', 'no error code');
  });
};
