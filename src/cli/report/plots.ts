/** Plots as inline SVG: bars with their numbers, in the page's own colours. */
import { escapeHtml as esc } from './html.js';

export type Bars = readonly (readonly [label: string, value: number])[];

const WIDTH = 920;
const ROW = 22;
const LABEL = 190;
const NUMBER = 70;
const HEIGHT = 220;
const FOOT = 34;
/** A bar alone is no wall. */
const WIDEST = 92;

const shown = (value: number): string => value.toLocaleString('en');
const shortened = (label: string, most: number): string =>
  label.length > most ? `${label.slice(0, most - 1)}…` : label;

/** Lying bars, one a line, for names; those beyond `most` become one line. */
export const lyingBars = (title: string, bars: Bars, most = 24): string => {
  const rest = bars.slice(most);
  const rows: Bars =
    rest.length > 0 ? [...bars.slice(0, most), [`${rest.length} more`, rest.reduce((sum, [, n]) => sum + n, 0)]] : bars;
  const top = Math.max(1, ...bars.slice(0, most).map(([, n]) => n));
  const room = WIDTH - LABEL - NUMBER;
  const lines = rows.map(([label, n], i) => {
    const y = i * ROW;
    const width = Math.max(1, Math.round((Math.min(n, top) / top) * room));
    const faint = rest.length > 0 && i === most ? ' class="faint"' : '';
    return `<text x="${LABEL - 8}" y="${y + 15}" class="label">${esc(shortened(label, 28))}</text><rect${faint} x="${LABEL}" y="${y + 4}" width="${width}" height="${ROW - 8}" rx="2"/><text x="${LABEL + width + 6}" y="${y + 15}" class="n">${shown(n)}</text>`;
  });
  const height = rows.length * ROW;
  return `<figure class="plot"><figcaption>${esc(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${esc(title)}">${lines.join('')}</svg></figure>`;
};

/** Standing bars in their own order, for numbers. */
export const standingBars = (title: string, bars: Bars): string => {
  const top = Math.max(1, ...bars.map(([, n]) => n));
  const step = Math.min(WIDEST, WIDTH / Math.max(1, bars.length));
  const every = Math.ceil(bars.length / 24);
  const room = HEIGHT - FOOT - 16;
  const columns = bars.map(([label, n], i) => {
    const height = Math.max(n > 0 ? 1 : 0, Math.round((n / top) * room));
    const x = Math.round(i * step);
    const y = HEIGHT - FOOT - height;
    const middle = Math.round(i * step + step / 2);
    const marks =
      i % every === 0
        ? `<text x="${middle}" y="${HEIGHT - FOOT + 16}" class="tick">${esc(label)}</text><text x="${middle}" y="${y - 4}" class="tick">${shown(n)}</text>`
        : '';
    return `<rect x="${x + 1}" y="${y}" width="${Math.max(1, Math.round(step) - 2)}" height="${height}" rx="2"/>${marks}`;
  });
  return `<figure class="plot"><figcaption>${esc(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${esc(title)}">${columns.join('')}</svg></figure>`;
};
