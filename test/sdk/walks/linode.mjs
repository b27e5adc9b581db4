// Linode's (Akamai's) own client: instances and volumes, paging by page number, actions by POST.
// needs {"package":"@linode/api-v4@0.158.0","document":"linode.com.json"}
import * as linode from '@linode/api-v4';

export const walk = async ({ url, step, sql, same, must, tableOf }) => {
  linode.setToken?.('walk');
  linode.baseRequest.interceptors.request.use((config) => {
    const { pathname, search } = new URL(config.url, 'https://api.linode.com');
    return {
      ...config,
      baseURL: url,
      url: `${pathname}${search}`,
      headers: { ...config.headers, Authorization: 'Bearer walk' },
    };
  });
  const failed = (work) =>
    work.then(
      () => undefined,
      (thrown) => thrown,
    );
  const region = await step('getRegions', async () => {
    const { data } = await linode.getRegions();
    must(data[0]?.id, 'no regions');
    return data[0].id;
  });
  const ask = { region, type: 'g6-standard-2', root_pass: 'a-Very-long-pass-1' };
  await step('createLinode with a label as people write them', async () => {
    same((await linode.createLinode({ ...ask, label: 'walk-1' })).label, 'walk-1');
  });
  const made = await step('createLinode', async () => {
    const one = await linode.createLinode({ ...ask, tags: ['walk'] });
    must(Number.isInteger(one.id), `id ${one.id}`);
    same(one.region, region);
    return one;
  });
  await step('createLinode: the row in SQL', () => {
    same(sql(`SELECT * FROM "${tableOf('POST /linode/instances')}" WHERE id = ?`, made.id).length, 1, 'rows');
  });
  await step('getLinode', async () => same((await linode.getLinode(made.id)).tags, ['walk']));
  await step('getLinodes: pages by number, every row once', async () => {
    const seen = [];
    for (let page = 1, pages = 1; page <= pages && page < 50; page++) {
      const answer = await linode.getLinodes({ page, page_size: 25 });
      pages = answer.pages;
      seen.push(...answer.data.map(({ id }) => id));
    }
    const [{ n }] = sql(`SELECT count(*) AS n FROM "${tableOf('GET /linode/instances')}"`);
    same(new Set(seen).size, seen.length, 'distinct');
    same(seen.length, n, 'rows');
  });
  await step('updateLinode', async () => {
    same((await linode.updateLinode(made.id, { group: 'walkers' })).group, 'walkers');
    same((await linode.getLinode(made.id)).group, 'walkers');
  });
  await step('linodeShutdown and linodeBoot (actions)', async () => {
    await linode.linodeShutdown(made.id);
    await linode.linodeBoot(made.id);
  });
  const volume = await step('createVolume', async () => {
    const one = await linode.createVolume({ label: 'disk-1', size: 20, region });
    same(one.size, 20);
    return one;
  });
  await step('resizeVolume (an action): the row in SQL', async () => {
    await linode.resizeVolume(volume.id, { size: 40 });
    same((await linode.getVolume(volume.id)).size, 40, 'size');
    same(sql(`SELECT * FROM "${tableOf('POST /volumes')}" WHERE id = ?`, volume.id)[0]?.size, 40, 'size in SQL');
  });
  await step('deleteVolume', async () => {
    await linode.deleteVolume(volume.id);
    same(sql(`SELECT * FROM "${tableOf('POST /volumes')}" WHERE id = ?`, volume.id).length, 0, 'rows in SQL');
  });
  await step('an unknown id is an error with a reason', async () => {
    const error = await failed(linode.getLinode(999_999_999));
    same(error?.response?.status, 404, 'status');
    must(typeof error.response.data?.errors?.[0]?.reason === 'string', JSON.stringify(error.response.data));
  });
  await step('deleteLinode', async () => {
    await linode.deleteLinode(made.id);
    same(sql(`SELECT * FROM "${tableOf('POST /linode/instances')}" WHERE id = ?`, made.id).length, 0, 'rows in SQL');
  });
};
