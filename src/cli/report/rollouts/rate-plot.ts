/** Shares with their intervals as inline SVG: a bar to the share, a line over the interval, the numbers beside it. */
import { wilson } from '../../../kit/wilson.js';
import { escapeHtml as esc } from '../html.js';

export interface Rate {
  label: string;
  found: number;
  of: number;
}

const WIDTH = 920;
const ROW = 26;
const LABEL = 300;
const NUMBERS = 250;
const FOOT = 20;
const MOST_LABEL = 42;

export const percent = (share: number): string => `${(share * 100).toFixed(1)}`;

/** `78.2 % (70.1 to 84.6) of 120`. */
export const rateWords = ({ found, of }: Pick<Rate, 'found' | 'of'>): string => {
  if (of === 0) return 'none';
  const { low, high } = wilson(found, of);
  return `${percent(found / of)} % (${percent(low)} to ${percent(high)}) of ${of.toLocaleString('en')}`;
};

const shortened = (label: string): string => (label.length > MOST_LABEL ? `${label.slice(0, MOST_LABEL - 1)}…` : label);

/** `most` rows; the others are counted below. */
export const ratePlot = (title: string, rates: readonly Rate[], most = 16): string => {
  const rows = rates.filter(({ of }) => of > 0).slice(0, most);
  if (rows.length === 0) return '';
  const left = rates.filter(({ of }) => of > 0).length - rows.length;
  const room = WIDTH - LABEL - NUMBERS;
  const at = (share: number): string => (LABEL + share * room).toFixed(1);
  const lines = rows.map((rate, i) => {
    const { label, found, of } = rate;
    const { low, high } = wilson(found, of);
    const y = i * ROW;
    const middle = y + ROW / 2;
    const range = `M${at(low)} ${middle - 6}v12M${at(low)} ${middle}H${at(high)}M${at(high)} ${middle - 6}v12`;
    return [
      `<text x="${LABEL - 10}" y="${y + 17}" class="label">${esc(shortened(label))}<title>${esc(label)}</title></text>`,
      `<rect class="track" x="${LABEL}" y="${y + 6}" width="${room}" height="${ROW - 12}" rx="2"/>`,
      `<rect x="${LABEL}" y="${y + 6}" width="${((found / of) * room).toFixed(1)}" height="${ROW - 12}" rx="2"/>`,
      // In the card's colour below, so that it is seen on the bar too.
      `<path class="halo" d="${range}"/><path d="${range}"/>`,
      `<text x="${WIDTH - NUMBERS + 12}" y="${y + 17}" class="n">${esc(rateWords(rate))}</text>`,
    ].join('');
  });
  const bottom = rows.length * ROW;
  const axis = [0, 0.5, 1].map(
    (share) => `<text x="${at(share)}" y="${bottom + 14}" class="tick">${share * 100} %</text>`,
  );
  const more = left > 0 ? `<p class="soft">and ${left.toLocaleString('en')} more</p>` : '';
  return `<figure class="plot"><figcaption>${esc(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${bottom + FOOT}" role="img" aria-label="${esc(title)}">${lines.join('')}${axis.join('')}</svg>${more}</figure>`;
};
