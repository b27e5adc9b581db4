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
  await step('chat.postMessage: the row in SQL', () => {
    const table = tableOf('POST /chat.postMessage');
    const rows = sql(`SELECT channel, text FROM "${table}" WHERE ts = ?`, message.ts);
    same(rows, [{ channel: channel.id, text: 'Hello' }], 'rows');
  });
  await step('conversations.history has the message, and no other', async () => {
    const { messages } = await slack.conversations.history({ channel: channel.id });
    same(
      messages.map(({ ts, text }) => [ts, text]),
      [[message.ts, 'Hello']],
      'messages',
    );
  });
  await step('conversations.replies has the message and what answers it', async () => {
    const { message: answer } = await slack.chat.postMessage({
      channel: channel.id,
      text: 'Yes?',
      thread_ts: message.ts,
    });
    const { messages } = await slack.conversations.replies({ channel: channel.id, ts: message.ts });
    must(
      messages.some(({ ts }) => ts === answer.ts),
      `${messages.length} messages, the answer is not among them`,
    );
  });
  await step('chat.update', async () => {
    const changed = await slack.chat.update({ channel: channel.id, ts: message.ts, text: 'Hello all' });
    same(changed.text, 'Hello all', 'text');
    const { messages } = await slack.conversations.history({ channel: channel.id });
    same(messages.find(({ ts }) => ts === message.ts)?.text, 'Hello all', 'in the history');
  });
  await step('chat.delete', async () => {
    same((await slack.chat.delete({ channel: channel.id, ts: message.ts })).ok, true);
    const { messages } = await slack.conversations.history({ channel: channel.id });
    must(!messages.some(({ ts }) => ts === message.ts), 'it is still there');
  });
  await step('chat.scheduleMessage, scheduledMessages.list, deleteScheduledMessage', async () => {
    const made = await slack.chat.scheduleMessage({ channel: channel.id, text: 'Later', post_at: 1935732800 });
    const listed = async () =>
      (await slack.chat.scheduledMessages.list({ channel: channel.id })).scheduled_messages.map(({ id }) => id);
    same(await listed(), [made.scheduled_message_id]);
    await slack.chat.deleteScheduledMessage({
      channel: channel.id,
      scheduled_message_id: made.scheduled_message_id,
    });
    same(await listed(), []);
  });
  await step('conversations.invite, members, kick', async () => {
    const { members } = await slack.users.list({});
    const user = members.at(-1).id;
    await slack.conversations.invite({ channel: channel.id, users: user });
    const seen = await slack.conversations.members({ channel: channel.id });
    must(seen.members.includes(user), 'who was invited is no member');
    await slack.conversations.kick({ channel: channel.id, user });
  });
  await step('usergroups.create, list, update, disable', async () => {
    const { usergroup } = await slack.usergroups.create({ name: 'Crew', handle: 'crew' });
    const { usergroups } = await slack.usergroups.list();
    must(
      usergroups.some(({ id }) => id === usergroup.id),
      'it is not listed',
    );
    same((await slack.usergroups.update({ usergroup: usergroup.id, name: 'Hands' })).usergroup.name, 'Hands');
    same((await slack.usergroups.disable({ usergroup: usergroup.id })).ok, true);
  });
  await step('pins.add, list, remove', async () => {
    const { ts } = await slack.chat.postMessage({ channel: channel.id, text: 'Pinned' });
    await slack.pins.add({ channel: channel.id, timestamp: ts });
    must(JSON.stringify(await slack.pins.list({ channel: channel.id })).includes(ts), 'it is not listed');
    await slack.pins.remove({ channel: channel.id, timestamp: ts });
  });
  await step('reactions.add and get', async () => {
    const { ts } = await slack.chat.postMessage({ channel: channel.id, text: 'Nice' });
    await slack.reactions.add({ channel: channel.id, timestamp: ts, name: 'wave' });
    const { message: seen } = await slack.reactions.get({ channel: channel.id, timestamp: ts });
    same(seen?.reactions?.[0]?.name, 'wave');
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
    same(error?.data?.error, 'channel_not_found', 'error');
    const other = await slack.chat.postMessage({ channel: 'C000000000', text: 'x' }).catch((thrown) => thrown);
    same(other?.data?.error, 'channel_not_found', 'error of a post');
  });
};
