// Writes docs/task-kinds.md: twenty tasks of each kind, from worlds of many trades. `node docs/task-kinds.mjs` after `npm run build`
// runs on dist/; `node docs/task-kinds.mjs --source` on src/. Same seed, same bytes.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';

const source = process.argv.includes('--source');
if (source) register('../bench/loader.mjs', import.meta.url);
const room = source ? '../src/' : '../dist/';
const load = (path) => import(new URL(`${room}${path}.${source ? 'ts' : 'js'}`, import.meta.url).href);
const { assembleWorld } = await load('author/assemble');
const { authorFromBrief } = await load('author/catalogue/author');
const { rng } = await load('kit/rng');
const { errand } = await load('tasks/atomic/errand');
const { FAMILIES } = await load('tasks/atomic/families');
const { taskOf } = await load('tasks/atomic/task');
const { gate } = await load('tasks/gate');
const { strayCall } = await load('tasks/generate');
const { prepareGround } = await load('tasks/ground/ground');
const { emptySurvey, sitesFor, survey } = await load('tasks/kinds/survey');
const { fitTogether } = await load('tasks/atomic/errand');
const { release } = await load('tasks/pool');
const { loadWorld, unloadWorld } = await load('world/loaded');
const { Engine } = await load('world/state/engine');

const EACH = 20;
const BRIEFS = [
  'Bakery with 3 shops in Lyon, flour from one mill, wedding cakes to order',
  'a dental practice in Leeds, 6 chairs, recall letters',
  'machine shop in Stuttgart, turned parts, two shifts, calibrated gauges',
  'law office in Vienna that keeps documents and attachments of its matters',
  'online shop for climbing gear in Innsbruck, returns within 30 days',
  'a hotel in Porto with 60 rooms, conference rooms, a small fleet of vans',
  'dairy cooperative in Kericho, farmers bring milk each morning, pay on the 5th',
  'elevator maintenance in Monterrey, 22 technicians, contracts, emergencies 24/7',
  'a museum in Aalborg that lends objects and charges a membership',
  'water utility in Cluj, meters, readings, bills by post',
  'software company in Dublin with a help desk and subscriptions',
  'freight forwarder in Izmir, shipments, customs declarations, carriers',
  'animal clinic in Recife, vaccinations, boarding, late invoices',
  'construction firm in Gdansk, subcontractors, safety incidents, permits',
  'a city library in Ghent with events and room bookings',
  'engineering consultancy in Lille, reports to clients, project hours, expenses',
];
/** Attachments, documents and reports are rare in trades that do not speak of them. */
const FILES = [
  ['law office in Vienna that keeps documents', ['document_store', 'attachments', 'reporting']],
  ['engineering consultancy in Lille', ['document_store', 'reporting', 'project_mgmt']],
  ['insurance broker in Porto', ['attachments', 'insurance_policy', 'billing']],
  ['property manager in Ghent', ['document_store', 'attachments', 'facilities']],
  ['medical laboratory in Cluj', ['reporting', 'laboratory', 'attachments']],
];

const engine = await Engine.start();
const openWorld = (text, seed, archetypes) =>
  loadWorld(
    engine,
    assembleWorld(engine, authorFromBrief(text, { seed, ...(archetypes ? { pins: { archetypes } } : {}) })),
  );

const kinds = new Map();
const keep = (task) => {
  const family = task.nodes[0].family;
  const list = kinds.get(family) ?? [];
  kinds.set(family, list);
  if (list.length < EACH) list.push(task);
};

/** Parts of which errands are put together, two by two. */
const partsOf = (ground, random) =>
  FAMILIES.filter(({ name }) => ['action', 'update', 'create', 'lookup', 'chained'].includes(name)).flatMap(
    (family) => {
      const sites = random
        .shuffle(sitesFor(ground, family).filter(({ service }) => service.role === 'domain'))
        .slice(0, 2);
      return sites
        .map((site, i) => family.make(ground, site, random.stream(`${family.name}-${i}`)))
        .filter((made) => typeof made !== 'string');
    },
  );

const errandsOf = (ground, stray, random) => {
  const parts = random.shuffle(partsOf(ground, random));
  let made = 0;
  for (let i = 0; i + 1 < parts.length && made < 2; i += 2) {
    if (!fitTogether(parts[i], parts[i + 1])) continue;
    const one = errand(parts[i], parts[i + 1], random);
    if (typeof one === 'string') continue;
    const task = taskOf(ground, one, `errand-${i}`, random);
    if (gate(ground, task, { random, stray, other: one.otherPath }).pass && ++made) keep(task);
    release(one);
  }
  for (const part of parts) release(part);
};

const names = new Map();
const grow = (text, seed, archetypes, families, withErrands = !archetypes) => {
  const world = openWorld(text, seed, archetypes);
  names.set(world.spec.id, world.spec.company.name);
  const ground = prepareGround(world);
  const random = rng('task-kinds', seed);
  const stray = strayCall(ground, random.stream('stray'));
  for (const family of families) {
    const found = emptySurvey();
    survey(
      ground,
      family,
      { random: random.stream(family.name), wanted: family.name === 'rows' ? 4 : 2, tries: 14, stray },
      found,
    );
    for (const { task } of found.kept) keep(task);
  }
  if (withErrands) errandsOf(ground, stray, random.stream('errands'));
  unloadWorld(world);
};

const usual = FAMILIES.filter(({ name }) => name !== 'file');
for (const [i, text] of BRIEFS.entries()) grow(text, `kinds/${i}`, undefined, usual);
const file = FAMILIES.filter(({ name }) => name === 'file');
for (let round = 0; round < 2; round++)
  for (const [i, [text, archetypes]] of FILES.entries()) grow(text, `files/${round}/${i}`, archetypes, file);
// What is rarer gets more worlds.
const RARE = FAMILIES.filter(({ name }) => ['told', 'rows', 'delete'].includes(name));
const isShort = () => ['told', 'count', 'sum', 'extreme'].some((family) => (kinds.get(family)?.length ?? 0) < EACH);
for (let round = 0; round < 5; round++)
  for (const [i, text] of BRIEFS.entries()) if (isShort()) grow(text, `rare/${round}/${i}`, undefined, RARE, false);
engine.close();

const WHAT = {
  action: 'A verb of the trade on one thing.',
  delete: 'One thing is deleted (tools that do so are few).',
  update: 'One or two fields of one thing change.',
  create: 'Something new.',
  message: 'A mail or a post.',
  told: 'What a tool answers by itself: the manager of somebody.',
  lookup: 'One fact of one thing.',
  related: 'One fact of what a thing points to.',
  chained: 'A fact in another service, or of somebody behind a thing.',
  count: 'How many.',
  sum: 'How much in all.',
  extreme: 'Which comes first.',
  errand: 'Two things of two services in one message.',
  investigation: 'Finding out over several look-ups and services.',
  conditional: 'What is done depends on what is found; both outcomes occur.',
  aggregate: 'Questions over all rows that meet two conditions.',
  every: 'One thing done to all rows that meet two conditions.',
  repair: 'A rule is broken in the task’s own initial state; which record breaks it has to be found.',
  refusal: 'A policy forbids it, and the answer names the policy; or none does, and it is done.',
  file: 'Files in the workspace.',
};
const lines = [
  '# Twenty tasks of each kind',
  '',
  'A seeded sample; each passed the whole gate. Every line is a brief as an agent gets it, with the number of calls of the reference and, where something is asked, the answer. Regenerate with `node docs/task-kinds.mjs`; how many are proposed, kept and dropped is measured by `npm run bench -- task-kinds CORPUS`.',
];
for (const [family, what] of Object.entries(WHAT)) {
  const tasks = kinds.get(family) ?? [];
  if (tasks.length === 0) continue;
  lines.push('', `## ${family}`, '', `${what}${tasks.length < EACH ? ` (${tasks.length})` : ''}`, '');
  for (const { brief, reference, answer, worldId } of tasks)
    lines.push(
      `1. ${brief} *${names.get(worldId)}; ${reference.calls.length} calls${answer ? `; ${reference.answer}` : ''}*`,
    );
}
const left = [...kinds.keys()].filter((family) => !(family in WHAT));
if (left.length > 0) throw new Error(`no words for ${left.join(', ')}`);
writeFileSync(new URL('task-kinds.md', import.meta.url), `${lines.join('\n')}\n`);
