/** The part of the report on one world: its picture, certificate, choices, tools and tasks. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Check } from '../../artifacts/check.js';
import type { Task } from '../../artifacts/task.js';
import type { TaskFiles, WorldDescription } from '../../corpus/corpus.js';
import type { TaskDifficulty } from '../../corpus/difficulty.js';
import { isoDate } from '../../kit/calendar.js';
import { difficultyLine } from './difficulty.js';
import { serviceGraph } from './graph.js';
import { escapeHtml as esc, folded, table } from './html.js';
import { taskGraph } from './task-graph.js';

const mark = (pass: boolean): string =>
  pass ? '<span class="ok" title="passed">✓</span>' : '<span class="bad" title="failed">✗</span>';

const findings = (certificate: Certificate): string =>
  table(
    ['validator', '', 'seen'],
    certificate.findings.map(({ id, pass, evidence }) => {
      const seen = evidence.slice(0, 8).map(esc).join('<br>');
      const more = evidence.length > 8 ? `<br><span class="soft">and ${evidence.length - 8} more</span>` : '';
      return [esc(id.replaceAll('_', ' ')), mark(pass), seen + more];
    }),
  );

const toolsOf = (files: WorldDescription): string =>
  files.services
    .map((spec) => {
      const rows = Object.entries(spec.tools).map(([name, tool]) => [
        `<code>${esc(name)}</code>`,
        esc(tool.description),
        `<span class="soft">${tool.writes.length > 0 ? 'writes' : 'reads'}</span>`,
      ]);
      return folded(
        `${esc(spec.title)}: ${rows.length} tools, dialect ${esc(spec.surface.dialect)}`,
        table(['tool', 'what it does', ''], rows),
      );
    })
    .join('');

/** What a check asks for beyond its place and rows. */
const thatOf = (check: Check): string => {
  switch (check.kind) {
    case 'equals':
    case 'not_equals':
      return `${check.col} ${JSON.stringify(check.value)}`;
    case 'count':
      return `${check.count} rows`;
    case 'unchanged': {
      const but = [...new Set(check.except.map(({ service, table: name }) => `${service}.${name}`))];
      return but.length > 0 ? `nothing but what is asked for in ${but.join(', ')}` : 'nothing at all';
    }
    case 'returned':
      return `${check.key} by ${check.tools.join(' or ')}`;
    case 'file':
      return check.path;
    case 'invariant':
      return check.invariant;
    default:
      return '';
  }
};

const wordsOf = (check: Check): string => {
  const where = 'where' in check ? Object.entries(check.where) : [];
  const rows = where.map(([col, value]) => `${col} ${JSON.stringify(value)}`).join(', ');
  const place = 'table' in check ? `${check.service}.${check.table}` : '';
  const words = [rows ? `${place} with ${rows}` : place, thatOf(check)].filter(Boolean).join(': ');
  return `<code>${esc(check.kind)}</code> ${esc(words)}`;
};

const composedTitle = ({ nodes, process, profile }: Task): string => {
  const services = new Set(nodes.map(({ service }) => service)).size;
  return `${process?.title ?? 'Work at several places'} (${profile ?? 'composed'}: ${nodes.length} stages, ${services} services)`;
};

/** How many rows each round of grounding added. */
const roundsOf = ({ grounding }: Task): string => {
  if (!grounding) return '';
  const counts = grounding.rounds.map(({ round, rows }) => `${rows.length} in round “${round}”`).join(', ');
  return `<p class="soft">Rows of its own: ${counts}.</p>`;
};

const taskCard = (task: Task, certificate: Certificate | undefined, measured: TaskDifficulty | undefined): string => {
  const calls = task.reference.calls.map(
    (call) => `<li><code>${esc(call.tool)} ${esc(JSON.stringify(call.args))}</code></li>`,
  );
  const checks = task.milestones.flatMap(({ checks: list }) => list).map((check) => `<li>${wordsOf(check)}</li>`);
  const answer = task.answer ? ` · answer: ${esc(task.reference.answer)}` : '';
  const composed = task.kind === 'composed';
  const title = composed
    ? `<span class="request">${esc(composedTitle(task))}</span>`
    : `<span class="request">${esc(task.brief)}</span>`;
  const whole = composed ? `<p class="brief">${esc(task.brief)}</p>${taskGraph(task)}${roundsOf(task)}` : '';
  return folded(
    title,
    `${whole}<p class="soft">${esc(task.id)} · for ${esc(task.actor.name)}, ${esc(task.actor.title)}${answer}</p><h4>Reference</h4><ol>${calls.join('')}</ol><h4>Checks</h4><ul>${checks.join('')}</ul>${measured ? `<h4>Difficulty</h4><p>${esc(difficultyLine(measured))}</p>` : ''}${certificate ? `<h4>Gate</h4>${findings(certificate)}` : ''}`,
  );
};

/** Proposals that were dropped, by reason, with one example each. */
const droppedTasks = (dropped: TaskFiles['dropped']): string => {
  const counts = new Map<string, { n: number; example: string }>();
  for (const { family, template, reason } of dropped) {
    const key = `${family}: ${reason.replace(/[“"'].*?[”"']|\d+/g, '…').slice(0, 90)}`;
    const entry = counts.get(key) ?? { n: 0, example: `${template}: ${reason}` };
    entry.n++;
    counts.set(key, entry);
  }
  if (counts.size === 0) return '';
  const rows = [...counts]
    .sort((a, b) => b[1].n - a[1].n)
    .map(([why, { n, example }]) => [`${n}`, esc(why), `<span class="soft">${esc(example.slice(0, 220))}</span>`]);
  return folded(
    `${dropped.length} proposal${dropped.length === 1 ? '' : 's'} dropped, and why`,
    table(['', 'reason', 'for example'], rows),
  );
};

/** HTML of one world. */
export const worldSection = (
  files: WorldDescription,
  tasks: TaskFiles,
  difficulty: Readonly<Record<string, TaskDifficulty>> = {},
): string => {
  const { world } = files;
  const { company } = world;
  const certificate = files.certificates.world;
  const evidence = world.brief.evidence.map(({ choice, because, kind }) => [
    esc(choice),
    esc(because),
    `<span class="soft">${esc(kind)}</span>`,
  ]);
  const rules = world.invariants.map(({ says }) => `<li>${esc(says)}</li>`).join('');
  const about = [
    `<code>${esc(world.id)}</code>`,
    esc(company.about),
    `${esc(company.city)}, ${esc(company.country)}`,
    `${company.employees} people`,
    esc(company.currency),
    `clock ${isoDate(world.clock)}`,
  ];
  return `<h2>${esc(company.name)}</h2><p class="soft">${about.join(' · ')}</p>
<div class="card">${serviceGraph(world, files.services)}</div>
<div class="card"><h3>${tasks.tasks.length} tasks</h3>${tasks.tasks.map((task) => taskCard(task, tasks.certificates[task.id], difficulty[task.id])).join('')}${droppedTasks(tasks.dropped)}</div>
<div class="card"><h3>Certificate ${certificate ? mark(certificate.pass) : ''}</h3>${certificate ? findings(certificate) : ''}</div>
<div class="card"><h3>Tools</h3>${toolsOf(files)}</div>
<div class="card"><h3>Why these choices</h3>${table(['choice', 'because', ''], evidence)}${rules ? `<h3>Rules across services</h3><ul>${rules}</ul>` : ''}</div>`;
};
