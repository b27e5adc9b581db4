/**
 * `npm run bench -- invariants [--worlds 60] [--small] [--seed S] [--templates [--from ID]] [--whole]`: how many of the invariants of
 * generated worlds hold at the start, can be broken and can be mended by public calls, each world from another brief, before any
 * repair; and each that cannot. `--templates`: a world for each template (from that one on), made of its two services; `--whole`:
 * all validators.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { assembleWorld } from '../src/author/assemble.js';
import { authorFromBrief } from '../src/author/catalogue/author.js';
import { invariantTemplates } from '../src/author/catalogue/invariants.js';
import { certifyWorld, worldSubjectOf } from '../src/certify/certify.js';
import { cpuSeconds } from '../src/kit/clock.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const briefsIn = (name: string): { id: string; text: string }[] =>
  parse(readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8')) as { id: string; text: string }[];

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const worlds = args.includes('--worlds') ? Number(args[args.indexOf('--worlds') + 1]) : undefined;
  const seed = args.includes('--seed') ? String(args[args.indexOf('--seed') + 1]) : 'invariants';
  const from = args.includes('--from') ? String(args[args.indexOf('--from') + 1]) : undefined;
  const templates = invariantTemplates();
  const first = from === undefined ? 0 : templates.findIndex(({ id }) => id === from);
  if (first < 0) throw new Error(`--from takes the id of a template, not ${from}`);
  const briefs: { id: string; text: string; archetypes?: string[] }[] = args.includes('--templates')
    ? templates.slice(first).map(({ id, trigger, target }) => ({
        id,
        text: 'a company',
        archetypes: [trigger.service, target.service],
      }))
    : [...briefsIn('./briefs-own.yaml'), ...briefsIn('./briefs-fresh.yaml')];
  const wanted = args.includes('--small') ? 3 : (worlds ?? (args.includes('--templates') ? briefs.length : 60));
  const engine = await Engine.start();
  const faults: Record<string, number> = {};
  const kinds = new Map<string, { n: number; bad: number }>();
  const totals = { worlds: 0, without: 0, invariants: 0, sound: 0, vacuous: 0, trade: 0, failed: 0 };
  const lengths = { breaks: 0, mends: 0 };
  let cpu = 0;
  for (let i = 0; i < wanted; i++) {
    const brief = briefs[i % briefs.length] as (typeof briefs)[number];
    const { archetypes } = brief;
    const draft = authorFromBrief(brief.text, {
      seed: `${seed}/${i + 1}`,
      ...(archetypes && { pins: { archetypes } }),
    });
    const world = loadWorld(engine, assembleWorld(engine, draft));
    const start = cpuSeconds();
    const whole = args.includes('--whole') ? certifyWorld(world) : undefined;
    const studies = whole?.studies ?? worldSubjectOf(world, []).studies();
    for (const { id, pass, evidence } of whole?.certificate.findings ?? [])
      if (!pass) console.log(`${brief.id} fails ${id}: ${evidence[0]}`);
    if (whole && !whole.certificate.pass) totals.failed++;
    cpu += cpuSeconds() - start;
    totals.worlds++;
    if (studies.length === 0) {
      totals.without++;
      console.log(`${brief.id}: no invariant`);
    }
    for (const { invariant, fault, breaks, mends, fires } of studies) {
      if (archetypes && invariant.id !== brief.id) continue;
      totals.invariants++;
      if (!invariant.id.startsWith('leaver_')) totals.trade++;
      const kind = kinds.get(invariant.id) ?? { n: 0, bad: 0 };
      kind.n++;
      if (fault) kind.bad++;
      kinds.set(invariant.id, kind);
      if (!fault) {
        totals.sound++;
        if (fires === 0) totals.vacuous++;
        lengths.breaks += breaks?.length ?? 0;
        lengths.mends += mends?.length ?? 0;
        continue;
      }
      faults[fault.validator] = (faults[fault.validator] ?? 0) + 1;
      console.log(`${brief.id} ${invariant.id}: ${fault.validator}: ${fault.line}`);
    }
    unloadWorld(world);
  }
  engine.close();
  return {
    ...totals,
    templates_met: kinds.size,
    share: Number((totals.sound / Math.max(1, totals.invariants)).toFixed(4)),
    faults,
    calls_to_break: Number((lengths.breaks / Math.max(1, totals.sound)).toFixed(2)),
    calls_to_mend: Number((lengths.mends / Math.max(1, totals.sound)).toFixed(2)),
    cpu_ms_a_world: Math.round((cpu * 1000) / Math.max(1, totals.worlds)),
  };
};
