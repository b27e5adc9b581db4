// GitHub's own client: issues of a repository that is there, labels, comments, paging by Link header.
// needs {"package":"@octokit/rest@22.0.1","document":"github.com/api.github.com.json"}
import { Octokit } from '@octokit/rest';

export const walk = async ({ url, step, sql, same, must, tableOf }) => {
  const octokit = new Octokit({
    auth: 'ghp_walk',
    baseUrl: url,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const repo = await step(
    'repos.listForOrg or repos.listForAuthenticatedUser: a repository that is there',
    async () => {
      const { data } = await octokit.rest.repos.listForAuthenticatedUser({ per_page: 5 });
      must(data.length > 0, 'no repositories');
      must(data[0].owner?.login && data[0].name, `no owner.login and name: ${JSON.stringify(data[0]).slice(0, 120)}`);
      return { owner: data[0].owner.login, repo: data[0].name };
    },
  );
  const made = await step('repos.createForAuthenticatedUser', async () => {
    const { data, status } = await octokit.rest.repos.createForAuthenticatedUser({
      name: 'walk',
      description: 'From the walk',
    });
    same(status, 201, 'status');
    same(data.name, 'walk');
    return { owner: data.owner?.login, repo: data.name, full: data };
  });
  await step('repos.get: the one that was made', async () => {
    const { data } = await octokit.rest.repos.get({ owner: made.owner, repo: made.repo });
    same(data.name, 'walk');
    same(data.description, 'From the walk');
  });
  const at = made?.owner ? { owner: made.owner, repo: made.repo } : repo;
  const issue = await step('issues.create', async () => {
    const { data, status } = await octokit.rest.issues.create({
      ...at,
      title: 'It does not start',
      body: 'Since Monday',
    });
    same(status, 201, 'status');
    same(data.title, 'It does not start');
    must(Number.isInteger(data.number), `number: ${data.number}`);
    return data;
  });
  await step('issues.create: the row in SQL', () => {
    const rows = sql(
      `SELECT * FROM "${tableOf('POST /repos/{owner}/{repo}/issues')}" WHERE title = ?`,
      'It does not start',
    );
    same(rows.length, 1, 'rows');
  });
  await step('issues.get', async () => {
    const { data } = await octokit.rest.issues.get({ ...at, issue_number: issue.number });
    same(data.title, 'It does not start');
    same(data.body, 'Since Monday', 'body');
    same(data.state, 'open', 'state');
  });
  await step('issues.update', async () => {
    const { data } = await octokit.rest.issues.update({ ...at, issue_number: issue.number, title: 'It starts slowly' });
    same(data.title, 'It starts slowly');
  });
  await step('issues.listForRepo: only those of the repository', async () => {
    const { data } = await octokit.rest.issues.listForRepo({ ...at, state: 'all' });
    same(
      data.map(({ number }) => number),
      [issue.number],
    );
  });
  await step('paginate by Link header: every issue of a repository once', async () => {
    for (let n = 0; n < 7; n++) await octokit.rest.issues.create({ ...at, title: `Part ${n}` });
    const all = await octokit.paginate(octokit.rest.issues.listForRepo, { ...at, per_page: 3, state: 'all' });
    same(all.length, 8, 'issues');
    same(new Set(all.map(({ number }) => number)).size, 8, 'distinct');
  });
  await step('issues.createComment and listComments', async () => {
    const { data } = await octokit.rest.issues.createComment({
      ...at,
      issue_number: issue.number,
      body: 'Seen it too',
    });
    same(data.body, 'Seen it too');
    const { data: list } = await octokit.rest.issues.listComments({ ...at, issue_number: issue.number });
    same(
      list.map(({ body }) => body),
      ['Seen it too'],
    );
  });
  await step('issues.lock (an action)', async () => {
    const { status } = await octokit.rest.issues.lock({ ...at, issue_number: issue.number, lock_reason: 'resolved' });
    same(status, 204, 'status');
    const { data } = await octokit.rest.issues.get({ ...at, issue_number: issue.number });
    same(data.locked, true, 'locked');
  });
  await step('issues.update with state closed', async () => {
    const { data } = await octokit.rest.issues.update({ ...at, issue_number: issue.number, state: 'closed' });
    same(data.state, 'closed');
  });
  await step('issues.createLabel, getLabel, deleteLabel', async () => {
    await octokit.rest.issues.createLabel({ ...at, name: 'slow', color: 'f29513' });
    const { data } = await octokit.rest.issues.getLabel({ ...at, name: 'slow' });
    same(data.color, 'f29513');
    const { status } = await octokit.rest.issues.deleteLabel({ ...at, name: 'slow' });
    same(status, 204, 'status');
  });
  await step('an unknown repository is a RequestError with 404', async () => {
    const error = await octokit.rest.repos.get({ owner: 'nobody', repo: 'nothing' }).then(
      () => undefined,
      (thrown) => thrown,
    );
    same(error?.status, 404, 'status');
    must(error?.response?.data?.message, 'no message in the body');
  });
  await step('a body without a title is a RequestError with 422', async () => {
    const error = await octokit.request('POST /repos/{owner}/{repo}/issues', { ...at, body: 'No title' }).then(
      () => undefined,
      (thrown) => thrown,
    );
    must(error?.status === 422 || error?.status === 400, `status ${error?.status}`);
  });
  await step('repos.delete', async () => {
    const { status } = await octokit.rest.repos.delete({ owner: made.owner, repo: made.repo });
    same(status, 204, 'status');
    same(
      sql(`SELECT * FROM "${tableOf('GET /repos/{owner}/{repo}')}" WHERE name = ?`, 'walk').length,
      0,
      'rows in SQL',
    );
  });
};
