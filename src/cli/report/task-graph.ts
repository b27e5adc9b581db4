/** The graph of a composed task: a lane for each service, stages in their order from top to bottom, what they hand on as curves. */
import type { Task } from '../../artifacts/task.js';
import { escapeHtml as esc } from './html.js';

const WIDTH = 900;
const ROW = 34;
const HEAD = 30;
const BOX_H = 24;
const LETTER = 6.4;

interface Spot {
  x: number;
  y: number;
}

const short = (text: string, width: number): string => {
  const most = Math.floor((width - 14) / LETTER);
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
};

/** Lanes in the order in which the task comes to them. */
const lanesOf = ({ nodes }: Pick<Task, 'nodes'>): string[] => [...new Set(nodes.map(({ service }) => service))];

const curveOf = (from: Spot, to: Spot, half: number): string => {
  if (from.x === to.x) {
    // Beside the lane, further out the longer it is, so that curves of one lane do not lie on one another.
    const side = from.x + half + Math.min(34, 8 + (to.y - from.y) / 14);
    return `M${from.x + half} ${from.y}C${side} ${from.y} ${side} ${to.y} ${to.x + half} ${to.y}`;
  }
  const [start, end] = from.x < to.x ? [from.x + half, to.x - half] : [from.x - half, to.x + half];
  const mid = (start + end) / 2;
  return `M${start} ${from.y}C${mid} ${from.y} ${mid} ${to.y} ${end} ${to.y}`;
};

/** An SVG element; empty for a task of one stage. */
export const taskGraph = (task: Pick<Task, 'id' | 'nodes' | 'edges' | 'milestones'>): string => {
  const { nodes, edges, milestones } = task;
  if (nodes.length < 2) return '';
  const lanes = lanesOf(task);
  const lane = WIDTH / lanes.length;
  const width = Math.min(190, lane - 46);
  const asked = new Set(milestones.filter(({ answer }) => answer).map(({ node }) => node));
  const spots = new Map(
    nodes.map(({ id, service }, i): [string, Spot] => [
      id,
      { x: lane * (lanes.indexOf(service) + 0.5), y: HEAD + ROW * (i + 0.5) },
    ]),
  );
  const heads = lanes
    .map((name, i) => {
      const x = lane * (i + 0.5);
      const down = `<path class="lane" d="M${x} ${HEAD}V${HEAD + ROW * nodes.length}"/>`;
      return `${down}<text class="name" x="${x}" y="18">${esc(short(name.replaceAll('_', ' '), lane))}</text>`;
    })
    .join('');
  const lines = edges
    .map(({ from, to, carries, what }) => {
      const [a, b] = [spots.get(from), spots.get(to)];
      if (!a || !b) return '';
      return `<path class="${carries}" d="${curveOf(a, b, width / 2)}"><title>${esc(`${from} to ${to}: ${what}`)}</title></path>`;
    })
    .join('');
  const boxes = nodes
    .map(({ id, family, intent, chain }) => {
      // What the stage does is its last tool; questions are told by their kind.
      const verb = asked.has(id) ? family : (chain.at(-1)?.split('.')[1] ?? family);
      const { x, y } = spots.get(id) as Spot;
      const kind = asked.has(id) ? 'asks' : 'does';
      return `<g><title>${esc(`${id}: ${intent}`)}</title><rect class="${kind}" x="${x - width / 2}" y="${y - BOX_H / 2}" width="${width}" height="${BOX_H}" rx="6"/><text class="step" x="${x}" y="${y + 4}">${esc(short(`${id.replace(/^s/, '')} ${verb.replaceAll('_', ' ')}`, width))}</text></g>`;
    })
    .join('');
  const height = HEAD + ROW * nodes.length + 8;
  return `<svg class="graph stages" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Stages of ${esc(task.id)}">${heads}${lines}${boxes}</svg><p class="soft">Stages in their order, a lane for each service; filled ones ask something. Solid curves: state that an earlier stage left; dashed: something that it found.</p>`;
};
