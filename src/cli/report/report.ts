/** report.html: what a build made, what it dropped and why; read from the corpus, so it can be made again at any time. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import { rebuildIndex } from '../../corpus/catalog.js';
import type { Corpus, TaskFiles, WorldFiles } from '../../corpus/corpus.js';
import { writeWhole } from '../../corpus/files.js';
import { isoDate } from '../../kit/calendar.js';
import { escapeHtml as esc, serviceGraph } from './graph.js';
import { STYLE } from './style.js';

export interface ReportInput {
  title: string;
  /** The brief, or what document it was. */
  source: string;
  seed: string;
  /** Worlds and tools that were given up, with the reason. */
  dropped: readonly { what: string; why: string }[];
}

const mark = (pass: boolean): string => (pass ? '<span class="ok">✓</span>' : '<span class="bad">✗</span>');

const findings = (certificate: Certificate): string =>
  `<table><tr><th>validator</th><th></th><th>seen</th></tr>${certificate.findings
    .map(
      ({ id, pass, evidence }) =>
        `<tr><td>${esc(id.replaceAll('_', ' '))}</td><td>${mark(pass)}</td><td>${evidence.slice(0, 4).map(esc).join('<br>')}</td></tr>`,
    )
    .join('')}</table>`;

const toolsTable = (files: WorldFiles): string =>
  files.services
    .map((spec) => {
      const rows = Object.entries(spec.tools)
        .map(
          ([name, tool]) =>
            `<tr><td><code>${esc(name)}</code></td><td>${esc(tool.description)}</td><td class="soft">${tool.writes.length > 0 ? 'writes' : 'reads'}</td></tr>`,
        )
        .join('');
      return `<details><summary>${esc(spec.title)}: ${Object.keys(spec.tools).length} tools, dialect ${esc(spec.surface.dialect)}</summary><table>${rows}</table></details>`;
    })
    .join('');

const taskCard = (task: Task, certificate: Certificate | undefined): string => {
  const calls = task.reference.calls
    .map((call) => `<li><code>${esc(call.tool)} ${esc(JSON.stringify(call.args))}</code></li>`)
    .join('');
  const checks = task.milestones
    .flatMap(({ checks: list }) => list)
    .map(
      (check) =>
        `<li><code>${esc(check.kind)}</code> ${esc('table' in check ? `${check.service}.${check.table}` : '')} ${esc('col' in check ? `${check.col} = ${JSON.stringify(check.value)}` : 'count' in check ? `${check.count}` : '')}</li>`,
    )
    .join('');
  const gate = certificate ? findings(certificate) : '';
  return `<details><summary>${esc(task.brief)}</summary><p class="soft">${esc(task.id)} · for ${esc(task.actor.name)}, ${esc(task.actor.title)}${task.answer ? ` · answer: ${esc(task.reference.answer)}` : ''}</p><h3>Reference</h3><ol>${calls}</ol><h3>Checks</h3><ul>${checks}</ul><h3>Gate</h3>${gate}</details>`;
};

const counted = (dropped: TaskFiles['dropped']): string => {
  const counts = new Map<string, { n: number; example: string }>();
  for (const { family, template, reason } of dropped) {
    const key = `${family}: ${reason.replace(/[“"'].*?[”"']|\d+/g, '…').slice(0, 90)}`;
    const entry = counts.get(key) ?? { n: 0, example: `${template}: ${reason}` };
    entry.n++;
    counts.set(key, entry);
  }
  const rows = [...counts]
    .sort((a, b) => b[1].n - a[1].n)
    .map(
      ([why, { n, example }]) =>
        `<tr><td>${n}</td><td>${esc(why)}</td><td class="soft">${esc(example.slice(0, 220))}</td></tr>`,
    );
  return rows.length === 0
    ? ''
    : `<details><summary>${dropped.length} proposals dropped, and why</summary><table><tr><th></th><th>reason</th><th>for example</th></tr>${rows.join('')}</table></details>`;
};

const worldSection = (files: WorldFiles, tasks: TaskFiles): string => {
  const { world } = files;
  const { company } = world;
  const certificate = files.certificates.world;
  const evidence = world.brief.evidence
    .map(
      ({ choice, because, kind }) =>
        `<tr><td>${esc(choice)}</td><td>${esc(because)}</td><td class="soft">${esc(kind)}</td></tr>`,
    )
    .join('');
  const invariants = world.invariants.map(({ says }) => `<li>${esc(says)}</li>`).join('');
  return `<h2>${esc(company.name)}</h2><p class="soft">${esc(world.id)} · ${esc(company.about)} · ${esc(company.city)}, ${esc(company.country)} · ${company.employees} people · ${esc(company.currency)} · clock ${isoDate(world.clock)}</p>
<div class="card">${serviceGraph(world, files.services)}</div>
<div class="card"><h3>Certificate ${certificate ? mark(certificate.pass) : ''}</h3>${certificate ? findings(certificate) : ''}</div>
<div class="card"><h3>Why these choices</h3><table>${evidence}</table>${invariants ? `<h3>Rules across services</h3><ul>${invariants}</ul>` : ''}</div>
<div class="card"><h3>Tools</h3>${toolsTable(files)}</div>
<div class="card"><h3>${tasks.tasks.length} tasks</h3>${tasks.tasks.map((task) => taskCard(task, tasks.certificates[task.id])).join('')}${counted(tasks.dropped)}</div>`;
};

/** Writes report.html and the index; returns its path. */
export const writeReport = (corpus: Corpus, input: ReportInput): string => {
  const { worlds } = rebuildIndex(corpus);
  const sum = (pick: (world: (typeof worlds)[number]) => number): number =>
    worlds.reduce((total, world) => total + pick(world), 0);
  const tiles: [string, number][] = [
    ['worlds', worlds.length],
    ['certified', worlds.filter(({ certified }) => certified).length],
    ['tools', sum(({ tools }) => tools)],
    ['rows', sum(({ rows }) => rows)],
    ['tasks', sum(({ tasks }) => tasks)],
    ['verified rollouts', sum(({ passed }) => passed)],
  ];
  const lost = input.dropped.map(({ what, why }) => `<tr><td>${esc(what)}</td><td>${esc(why)}</td></tr>`).join('');
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${esc(input.title)} · Treadle</title><style>${STYLE}</style></head><body><main>
<h1>${esc(input.title)}</h1><p class="soft">made by Treadle, seed ${esc(input.seed)}</p><div class="brief">${esc(input.source.slice(0, 2000))}</div>
<div class="tiles">${tiles.map(([name, n]) => `<div class="tile"><b>${n}</b>${name}</div>`).join('')}</div>
${lost ? `<div class="card"><h3>Given up, and why</h3><table>${lost}</table></div>` : ''}
${worlds.map(({ id }) => worldSection(corpus.readWorld(id), corpus.readTasks(id))).join('\n')}
</main></body></html>
`;
  const path = corpus.path('report.html');
  writeWhole(path, html);
  return path;
};
