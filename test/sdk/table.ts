/** The table of docs/rest-clients.md: an SDK a heading, a step a row. */
interface Walked {
  name: string;
  package?: string;
  document?: string;
  skipped?: string;
  failed?: string;
  steps?: { step: string; ok: boolean; why?: string }[];
}

const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/http:\/\/127\.0\.0\.1:\d+/g, '');

const sectionOf = ({ name, package: sdk, document, skipped, failed, steps = [] }: Walked): string => {
  if (skipped !== undefined) return `## ${name}\n\nSkipped: ${skipped}.\n`;
  const ok = steps.filter((step) => step.ok).length;
  const head = `## ${sdk ?? name}\n\nOn \`${document}\`: ${ok} of ${steps.length} steps.${failed ? ` It ended early: ${cell(failed.split('\n')[0] ?? '')}` : ''}\n`;
  const rows = steps.map(
    ({ step, ok: isOk, why }) => `| ${cell(step)} | ${isOk ? 'works' : cell((why ?? '').slice(0, 160))} |`,
  );
  return `${head}\n| step | |\n|---|---|\n${rows.join('\n')}\n`;
};

export const tableOf = (walked: readonly Walked[]): string => walked.map(sectionOf).join('\n');
