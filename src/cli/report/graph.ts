/** One picture of a world: its services around the company, links as curves with the key they share. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { escapeHtml } from './html.js';

const WIDTH = 900;
const BOX_W = 196;
const BOX_H = 58;
const ROW = 168;
const TOP = 34;

interface Box {
  id: string;
  title: string;
  note: string;
  core: boolean;
  row: number;
  x: number;
  y: number;
}

/** Domain services above, the core below: most links lead from the trade to the directory. At most four a row. */
const boxesOf = (world: WorldSpec, services: readonly ServiceSpec[]): Box[] => {
  const rowsOf = (core: boolean): string[][] => {
    const ids = world.services.filter(({ role }) => (role === 'core') === core).map(({ id }) => id);
    const rows: string[][] = [];
    for (let i = 0; i < ids.length; i += 4) rows.push(ids.slice(i, i + 4));
    return rows;
  };
  const domain = rowsOf(false);
  return [...domain, ...rowsOf(true)].flatMap((ids, row) => {
    const step = WIDTH / ids.length;
    return ids.map((id, i): Box => {
      const spec = services.find((service) => service.id === id);
      const count = Object.values(world.rows[id] ?? {}).reduce((sum, n) => sum + n, 0);
      const note = `${Object.keys(spec?.tools ?? {}).length} tools · ${count} rows`;
      const core = row >= domain.length;
      return { id, title: spec?.title ?? id, note, core, row, x: step * (i + 0.5), y: TOP + row * ROW + BOX_H / 2 };
    });
  });
};

interface Edge {
  from: Box;
  to: Box;
  keys: Set<string>;
}

/** Links between two services are one edge, drawn from the upper or left box. */
const edgesOf = (world: WorldSpec, boxes: readonly Box[]): Edge[] => {
  const by = new Map(boxes.map((item) => [item.id, item]));
  const edges = new Map<string, Edge>();
  for (const { from, to } of world.links) {
    const [a, b] = [by.get(from.service), by.get(to.service)];
    if (!a || !b || a === b) continue;
    const [upper, lower] = a.row < b.row || (a.row === b.row && a.x < b.x) ? [a, b] : [b, a];
    const id = `${upper.id} ${lower.id}`;
    const edge = edges.get(id) ?? { from: upper, to: lower, keys: new Set<string>() };
    edge.keys.add(to.col);
    edges.set(id, edge);
  }
  return [...edges.values()];
};

/** Where each edge leaves its boxes: the ends at one side of a box are spread over it, by where they lead. */
const portsOf = (edges: readonly Edge[]): ((edge: Edge, box: Box) => number) => {
  const side = (edge: Edge, box: Box): string =>
    `${box.id} ${edge.from.row === edge.to.row || edge.to === box ? 'top' : 'bottom'}`;
  return (edge, box) => {
    const other = (candidate: Edge): number => (candidate.from === box ? candidate.to.x : candidate.from.x);
    const beside = edges
      .filter((one) => (one.from === box || one.to === box) && side(one, box) === side(edge, box))
      .sort((a, b) => other(a) - other(b));
    const n = beside.indexOf(edge);
    return box.x + ((n + 1) / (beside.length + 1) - 0.5) * (BOX_W - 24);
  };
};

interface Label {
  text: string;
  x: number;
  y: number;
}

const LETTER = 6.1;

/** Moves labels down until none covers another or a box. */
const apart = (labels: readonly Label[], boxes: readonly Box[]): Label[] => {
  const placed: Label[] = [];
  for (const label of [...labels].sort((a, b) => a.y - b.y || a.x - b.x)) {
    const half = (label.text.length / 2) * LETTER;
    const hits = (y: number): boolean =>
      boxes.some((one) => Math.abs(one.y - y) < BOX_H / 2 + 8 && Math.abs(one.x - label.x) < BOX_W / 2 + half) ||
      placed.some(
        (other) =>
          Math.abs(other.y - y) < 14 &&
          Math.abs(other.x - label.x) < ((other.text.length + label.text.length) / 2) * LETTER + 8,
      );
    let y = label.y;
    while (hits(y)) y += 14;
    placed.push({ ...label, y });
  }
  return placed;
};

const curve = (edge: Edge, port: ReturnType<typeof portsOf>): { path: string; label: Label } => {
  const { from, to } = edge;
  const keys = [...edge.keys].sort();
  const text = keys.length > 2 ? `${keys.slice(0, 2).join(', ')} +${keys.length - 2}` : keys.join(', ');
  const [x1, x2] = [port(edge, from), port(edge, to)];
  const half = BOX_H / 2;
  if (from.row === to.row) {
    const [y, lift] = [from.y - half, 30];
    return {
      path: `M${x1} ${y}C${x1} ${y - lift} ${x2} ${y - lift} ${x2} ${y}`,
      label: { text, x: (x1 + x2) / 2, y: y - lift + 4 },
    };
  }
  const [y1, y2] = [from.y + half, to.y - half];
  const mid = (y1 + y2) / 2;
  return { path: `M${x1} ${y1}C${x1} ${mid} ${x2} ${mid} ${x2} ${y2}`, label: { text, x: (x1 + x2) / 2, y: mid } };
};

const box = ({ title, note, core, x, y }: Box): string => {
  const shown = title.length > 24 ? `${title.slice(0, 23)}…` : title;
  return (
    `<g><title>${escapeHtml(title)}</title><rect class="${core ? 'core' : 'domain'}" x="${x - BOX_W / 2}" y="${y - BOX_H / 2}" width="${BOX_W}" height="${BOX_H}" rx="10"/>` +
    `<text class="name" x="${x}" y="${y - 4}">${escapeHtml(shown)}</text><text class="note" x="${x}" y="${y + 16}">${escapeHtml(note)}</text></g>`
  );
};

/** An SVG element. */
export const serviceGraph = (world: WorldSpec, services: readonly ServiceSpec[]): string => {
  const boxes = boxesOf(world, services);
  const edges = edgesOf(world, boxes);
  const port = portsOf(edges);
  const curves = edges.map((edge) => curve(edge, port));
  const labels = apart(
    curves.map(({ label }) => label),
    boxes,
  );
  const height = Math.max(...boxes.map(({ y }) => y)) + BOX_H / 2 + 12;
  const lines = curves.map(({ path }) => `<path class="link" d="${path}"/>`).join('');
  const words = labels
    .map(({ text, x, y }) => `<text class="key" x="${x}" y="${y}">${escapeHtml(text)}</text>`)
    .join('');
  return `<svg class="graph" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Services of ${escapeHtml(world.company.name)} and the keys they share">${lines}${boxes.map(box).join('')}${words}</svg>`;
};
