// Writes docs/gallery.md: twenty worlds of briefs from five continents, printed compactly. `node docs/gallery.mjs` after `npm run build`
// runs on dist/; `node docs/gallery.mjs --source` on src/. Same seed, same bytes.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';

const source = process.argv.includes('--source');
if (source) register('../bench/loader.mjs', import.meta.url);
const room = source ? '../src/' : '../dist/';
const load = (path) => import(new URL(`${room}${path}.${source ? 'ts' : 'js'}`, import.meta.url).href);
const { authorFromBrief } = await load('author/catalogue/author');
const { seedWorld } = await load('world/seed/seed');

const BRIEFS = [
  'Bakery with 3 shops in Lyon, flour from one mill, wedding cakes to order',
  'tatoo studio 3 artists, walk ins + appointments, deposit 50 dollars canadian, consent forms. Halifax',
  'I keep bees. 140 hives in 9 places around Whangārei, manuka honey, varroa treatments must be written down',
  'Funeral home in Kumasi Ghana, storage fee per day, coffin choice, 2 hearses',
  'climbing wall in Ljubljana with 4 instructors, day passes, courses for kids, waivers signed before climbing',
  'mantenimiento de elevadores en Monterrey, 22 tecnicos, 480 elevadores con contrato, emergencias 24/7',
  'Dialysis centre Davao City: 18 chairs, 3 shifts a day, PhilHealth, water tests daily',
  'dairy cooperative in Kericho, 2300 farmers bring milk each morning, rejected cans, pay on the 5th of month',
  'charter cargo airline Sharjah 4 aircraft A300, crews, deferred defects, slots',
  'Übersetzungsbüro Graz, 200 freie Übersetzer, Terminologie je Kunde, keine Lohnbuchhaltung',
  'self storage 2 sites brisbane 410 units, late payers get overlocked, auctions after 60 days',
  'we rent out 30 bikes and 4 tandems in Hoi An, passport as deposit, paid by card only, two branches',
  'rede de 4 farmacias em Recife, controle de receitas, validade dos lotes, entrega por moto',
  'Autoridad portuaria de un puerto mediano en Chile: atraques, remolcadores, prácticos, concesiones',
  'national seed bank outside Addis Ababa, 62 000 accessions, viability tests every 5 yrs, samples only with an agreement signed',
  'private Kita in Luxemburg-Stadt, 45 Plätze, 12 Erzieherinnen, abholberechtigte Personen, Allergien',
  'outsourced SOC in Tallinn for 40 client companies, alerts triage 15 min, 24x7 in three shifts',
  '京都の旅館、客室14、従業員22名、夕食は二部制',
  'weekly newspaper + printing shop in Antananarivo, abonnés, annonces légales, pigistes payés à la page',
  'vet for horses in Kentucky, stable visits, vaccinations, invoices late',
];
const ROWS = 3;
const COLS = 7;

const show = (value) => (value === null ? '' : String(value).replaceAll('|', '/').slice(0, 44));
const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
const cell = (column, value) => {
  if (value === null || value === undefined) return '';
  if (column.type === 'date') return day(value).slice(0, 10);
  if (column.type === 'datetime') return day(value);
  if (column.type === 'bool') return value ? 'yes' : 'no';
  return show(value);
};

const HIDDEN = /^(id|created_at|updated_at)$/;
const lines = [
  '# Twenty worlds',
  '',
  'A seeded sample: what a brief becomes. Regenerate with `node docs/gallery.mjs`; money is in minor units, keys are shortened to their row.',
];
for (const [i, text] of BRIEFS.entries()) {
  const draft = authorFromBrief(text, { seed: `gallery/${i + 1}` });
  const { company, clock, seed, links, invariants } = draft;
  const specs = draft.services.map(({ spec }) => spec);
  const { rows } = seedWorld(specs, { company, clock, seed, links, invariants });
  lines.push('', `## ${i + 1}. ${company.name}`, '', `> ${text}`, '');
  lines.push(
    `${company.legalName}, ${company.city}, ${company.country}. ${company.industry.title} (${company.industry.naics}), ${company.employees} people, since ${company.founded}, ${company.currency}, ${company.timezone}; it is ${day(clock)}.`,
    '',
  );
  for (const { choice, because } of draft.brief.evidence
    .filter(({ choice }) => /^(\d+ rows|not answered|held|partly|the text|no )/.test(choice))
    .slice(0, 5))
    lines.push(`- ${choice}: ${because.slice(0, 90)}`);
  lines.push(
    `- rules: ${draft.policies
      .slice(0, 2)
      .map(({ text: rule }) => rule)
      .join(' ')}`,
    '',
  );
  for (const { spec, role } of draft.services) {
    const tables = Object.entries(spec.tables).filter(([name]) => role === 'domain' || name === 'employee');
    for (const [name, table] of tables.slice(0, role === 'domain' ? 3 : 1)) {
      const list = rows[spec.id][name];
      const cols = Object.keys(table.cols)
        .filter((col) => !HIDDEN.test(col) && list.some((row) => row[col] !== null))
        .slice(0, COLS);
      lines.push(
        `**${spec.id}.${name}** (${list.length})`,
        '',
        `| ${cols.join(' | ')} |`,
        `|${cols.map(() => '---').join('|')}|`,
      );
      for (const row of list.slice(0, ROWS))
        lines.push(
          `| ${cols
            .map((col) => {
              const column = table.cols[col];
              if (!column.fk) return cell(column, row[col]);
              const target = spec.tables[column.fk];
              const other = rows[spec.id][column.fk].find((each) => each[target.key.col] === row[col]);
              return other ? show(other[target.label ?? target.key.col]) : '';
            })
            .join(' | ')} |`,
        );
      lines.push('');
    }
  }
}
writeFileSync(new URL('gallery.md', import.meta.url), `${lines.join('\n')}\n`);
