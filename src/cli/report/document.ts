/** The part of the report on an API document: what became of each of its operations. */
import { type DocumentOutcome, reasonsOf } from '../pipeline/document.js';
import { escapeHtml as esc, folded, table } from './html.js';

const soft = (text: string): string => `<span class="soft">${esc(text)}</span>`;

/** HTML of a document's fate; `lost` says why a tool was left out later, by `service.tool`. */
export const documentSection = (outcome: DocumentOutcome, lost: ReadonlyMap<string, string>): string => {
  const mapped = outcome.operations.filter(({ tool }) => tool !== undefined);
  const entities = outcome.entities.map(({ name, columns, tools, machine, service }) => [
    esc(name),
    `${columns}`,
    `${tools}`,
    service === undefined ? soft('not taken up') : esc(service),
    machine ? 'yes' : '',
  ]);
  const reasons = reasonsOf(outcome).map(({ why, n, example }) => [`${n}`, esc(why), `<code>${esc(example)}</code>`]);
  const all = outcome.operations.map(({ operation, tool, why }) => {
    const later = tool === undefined ? undefined : lost.get(tool);
    const fate =
      tool === undefined || later !== undefined ? '<span class="bad">no tool</span>' : `<code>${esc(tool)}</code>`;
    return [`<code>${esc(operation)}</code>`, fate, soft(why ?? later ?? '')];
  });
  const refs = outcome.refs.map(({ ref, why }) => [`<code>${esc(ref)}</code>`, soft(why)]);
  return `<div class="card"><h3>The document</h3><p>${esc(outcome.title)}, OpenAPI ${esc(outcome.version)}: ${mapped.length} of ${outcome.operations.length} operations became tools.</p>
${table(['entity', 'columns', 'tools', 'service', 'life cycle'], entities)}
${reasons.length > 0 ? `<h3>What became no tool, and why</h3>${table(['', 'reason', 'for example'], reasons)}` : ''}
${folded(`All ${all.length} operations`, table(['operation', 'tool', ''], all))}
${refs.length > 0 ? folded(`${refs.length} references that lead nowhere`, table(['reference', 'why'], refs)) : ''}</div>`;
};
