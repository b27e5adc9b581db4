/** The table of `treadle certify`: a line a world and a line a service, a column a validator. */
import type { Certificate } from '../../artifacts/certificate.js';
import { SERVICE_VALIDATORS, WORLD_VALIDATORS } from '../../certify/validators/registry.js';

export type Mark = 'pass' | 'fail' | 'none';

export interface VerdictRow {
  name: string;
  kind: 'world' | 'service';
  pass: boolean;
  /** By validator number, 1 to 12; `none` where the validator does not judge this kind of thing, or did not run. */
  marks: Record<string, Mark>;
}

const DETERMINISM = { number: 11, id: 'determinism', title: 'The same twice' };

/** All twelve in order. */
export const VALIDATORS: readonly { number: number; id: string; title: string }[] = [
  ...SERVICE_VALIDATORS,
  ...WORLD_VALIDATORS,
  DETERMINISM,
].sort((a, b) => a.number - b.number);

const rowOf = (name: string, kind: VerdictRow['kind'], certificate: Certificate): VerdictRow => ({
  name,
  kind,
  pass: certificate.pass,
  marks: Object.fromEntries(
    VALIDATORS.map(({ number, id }): [string, Mark] => {
      const finding = certificate.findings.find((each) => each.id === id);
      return [String(number), finding === undefined ? 'none' : finding.pass ? 'pass' : 'fail'];
    }),
  ),
});

/** The world's line, then its services'. */
export const verdictRows = (world: string, certificates: Readonly<Record<string, Certificate>>): VerdictRow[] => {
  const { world: whole, ...services } = certificates;
  return [
    ...(whole ? [rowOf(world, 'world', whole)] : []),
    ...Object.entries(services).map(([id, certificate]) => rowOf(id, 'service', certificate)),
  ];
};

const SHOWN: Record<Mark, string> = { pass: '✓', fail: '✗', none: '·' };
const MOST_NAME = 44;

/** Lines of text, the header first; `paint` colours a failed mark. */
export const verdictLines = (rows: readonly VerdictRow[], paint: (text: string) => string): string[] => {
  const labels = rows.map(({ name, kind }) => (kind === 'service' ? `  ${name}` : name).slice(0, MOST_NAME));
  const width = Math.max(5, ...labels.map(({ length }) => length));
  const cell = (text: string): string => text.padStart(3);
  const head = `${'world'.padEnd(width)} ${VALIDATORS.map(({ number }) => cell(String(number))).join('')}`;
  return [
    head,
    ...rows.map(({ marks }, i) => {
      const cells = VALIDATORS.map(({ number }) => {
        const mark = marks[String(number)] ?? 'none';
        return mark === 'fail' ? paint(cell(SHOWN.fail)) : cell(SHOWN[mark]);
      });
      return `${(labels[i] ?? '').padEnd(width)} ${cells.join('')}`;
    }),
  ];
};

/** `1 schema  2 initial_data ...`, for below the table. */
export const legend = (): string =>
  VALIDATORS.map(({ number, id }) => `${number} ${id.replaceAll('_', ' ')}`).join('  ');
