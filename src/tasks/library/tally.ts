/** What the gate saw over many tasks, counted from the certificates' evidence. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { GateTally } from '../../corpus/library.js';

export const emptyTally = (): GateTally => ({
  gated: 0,
  passed: 0,
  dropped: {},
  alternatives: { tried: 0, accepted: 0 },
  mutants: {},
});

const evidenceOf = ({ findings }: Certificate, line: string): readonly string[] =>
  findings.find(({ id }) => id === line)?.evidence ?? [];

/** `wrong_value: 2 of 3 fail` */
const KILLED = /^(\w+): (\d+) of (\d+) fail$/;

/** Adds what one certificate says. */
export const addCertificate = (tally: GateTally, certificate: Certificate): void => {
  tally.gated++;
  const failed = certificate.findings.find(({ pass }) => !pass)?.id;
  if (failed === undefined) tally.passed++;
  else tally.dropped[failed] = (tally.dropped[failed] ?? 0) + 1;
  for (const line of evidenceOf(certificate, 'alternatives_pass')) {
    tally.alternatives.tried++;
    if (line.endsWith(': passes')) tally.alternatives.accepted++;
  }
  for (const line of evidenceOf(certificate, 'mutants_fail')) {
    const [, kind, dead, made] = KILLED.exec(line) ?? [];
    if (kind === undefined) continue;
    const known = tally.mutants[kind] ?? { made: 0, failed: 0 };
    tally.mutants[kind] = { made: known.made + Number(made), failed: known.failed + Number(dead) };
  }
};

/** Adds one tally to another. */
export const addTally = (tally: GateTally, other: GateTally): void => {
  tally.gated += other.gated;
  tally.passed += other.passed;
  for (const [line, n] of Object.entries(other.dropped)) tally.dropped[line] = (tally.dropped[line] ?? 0) + n;
  tally.alternatives.tried += other.alternatives.tried;
  tally.alternatives.accepted += other.alternatives.accepted;
  for (const [kind, { made, failed }] of Object.entries(other.mutants)) {
    const known = tally.mutants[kind] ?? { made: 0, failed: 0 };
    tally.mutants[kind] = { made: known.made + made, failed: known.failed + failed };
  }
};
