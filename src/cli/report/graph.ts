/** One picture of a world: its services around the company, links as lines with the key they share. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { WorldSpec } from '../../artifacts/world.js';

const WIDTH = 900;
const BOX_W = 190;
const BOX_H = 62;
const GAP = 46;

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char] as string,
  );

interface Box {
  id: string;
  title: string;
  note: string;
  core: boolean;
  x: number;
  y: number;
}

/** Rows of boxes: the core on top, domain services below, at most four a row. */
const boxesOf = (world: WorldSpec, services: readonly ServiceSpec[]): Box[] => {
  const rowsOf = (core: boolean): string[][] => {
    const ids = world.services.filter(({ role }) => (role === 'core') === core).map(({ id }) => id);
    const rows: string[][] = [];
    for (let i = 0; i < ids.length; i += 4) rows.push(ids.slice(i, i + 4));
    return rows;
  };
  const rows = [...rowsOf(true), ...rowsOf(false)];
  return rows.flatMap((ids, row) => {
    const step = WIDTH / ids.length;
    return ids.map((id, i): Box => {
      const spec = services.find((service) => service.id === id);
      const count = Object.values(world.rows[id] ?? {}).reduce((sum, n) => sum + n, 0);
      const core = world.services.some((ref) => ref.id === id && ref.role === 'core');
      const note = `${Object.keys(spec?.tools ?? {}).length} tools · ${count} rows`;
      return {
        id,
        title: spec?.title ?? id,
        note,
        core,
        x: step * i + step / 2,
        y: 40 + row * (BOX_H + GAP * 2) + BOX_H / 2,
      };
    });
  });
};

const line = (from: Box, to: Box, label: string, index: number): string => {
  const bend = ((index % 3) - 1) * 26;
  const [mx, my] = [(from.x + to.x) / 2 + bend, (from.y + to.y) / 2 + (from.y === to.y ? BOX_H : 0) + bend / 3];
  const [lx, ly] = [(from.x + to.x) / 4 + mx / 2, (from.y + to.y) / 4 + my / 2];
  return `<path class="link" d="M${from.x} ${from.y} Q${mx} ${my} ${to.x} ${to.y}"/><text class="key" x="${lx}" y="${ly}">${escapeHtml(label)}</text>`;
};

const box = ({ title, note, core, x, y }: Box): string =>
  `<g><rect class="${core ? 'core' : 'domain'}" x="${x - BOX_W / 2}" y="${y - BOX_H / 2}" width="${BOX_W}" height="${BOX_H}" rx="10"/>` +
  `<text class="name" x="${x}" y="${y - 4}">${escapeHtml(title.slice(0, 26))}</text><text class="note" x="${x}" y="${y + 16}">${escapeHtml(note)}</text></g>`;

/** An SVG element. */
export const serviceGraph = (world: WorldSpec, services: readonly ServiceSpec[]): string => {
  const boxes = boxesOf(world, services);
  const by = new Map(boxes.map((item) => [item.id, item]));
  const drawn = new Map<string, { from: Box; to: Box; keys: Set<string> }>();
  for (const { from, to } of world.links) {
    const [a, b] = [by.get(from.service), by.get(to.service)];
    if (!a || !b || a === b) continue;
    const id = [from.service, to.service].sort().join(' ');
    const entry = drawn.get(id) ?? { from: a, to: b, keys: new Set<string>() };
    entry.keys.add(to.col);
    drawn.set(id, entry);
  }
  const height = Math.max(...boxes.map(({ y }) => y)) + BOX_H / 2 + 40;
  const lines = [...drawn.values()].map(({ from, to, keys }, i) => line(from, to, [...keys].slice(0, 2).join(', '), i));
  return `<svg class="graph" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Services of ${escapeHtml(world.company.name)} and the keys they share">${lines.join('')}${boxes.map(box).join('')}</svg>`;
};
