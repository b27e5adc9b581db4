/** The part of the report on rollouts: who acted, what passed, and how they went about it, apart from whether they passed. */
import type { Tally, WorldEntry } from '../../corpus/listings.js';
import { BEHAVIOUR_FLAGS } from '../../verify/behaviour/registry.js';
import { escapeHtml as esc, table } from './html.js';

const plus = (a: Tally | undefined, b: Tally): Tally => {
  const behaviour = { ...a?.behaviour };
  for (const [flag, n] of Object.entries(b.behaviour ?? {})) behaviour[flag] = (behaviour[flag] ?? 0) + n;
  return {
    rollouts: (a?.rollouts ?? 0) + b.rollouts,
    unfinished: (a?.unfinished ?? 0) + b.unfinished,
    passed: (a?.passed ?? 0) + b.passed,
    behaviour,
  };
};

/** HTML of the rollouts by who acted; nothing where there are none. */
export const rolloutSection = (worlds: readonly WorldEntry[]): string => {
  const all = new Map<string, Tally>();
  for (const { producers } of worlds)
    for (const [name, tally] of Object.entries(producers)) all.set(name, plus(all.get(name), tally));
  if (all.size === 0) return '';
  const shown = BEHAVIOUR_FLAGS.filter(({ id }) => [...all.values()].some(({ behaviour }) => behaviour?.[id]));
  const head = ['who acted', 'rollouts', 'passed', ...shown.map(({ id }) => esc(id.replaceAll('_', ' ')))];
  const rows = [...all].map(([name, { rollouts, unfinished, passed, behaviour = {} }]) => {
    const finished = rollouts - unfinished;
    const share = finished > 0 ? ` (${((passed / finished) * 100).toFixed(1)} %)` : '';
    const apart = unfinished > 0 ? `, ${unfinished} more unfinished` : '';
    return [
      esc(name),
      `${finished.toLocaleString('en')}${apart}`,
      `${passed.toLocaleString('en')}${share}`,
      ...shown.map(({ id }) => (behaviour[id] ?? 0).toLocaleString('en')),
    ];
  });
  const says = shown.map(({ id, says: what }) => `${id.replaceAll('_', ' ')}: ${what}`).join('; ');
  const note =
    shown.length > 0 ? `<p class="soft">Rollouts that show a behaviour, passed or not. ${esc(says)}.</p>` : '';
  return `<div class="card"><h3>Rollouts</h3>${table(head, rows)}${note}</div>`;
};
