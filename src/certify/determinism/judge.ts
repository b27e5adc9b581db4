/** 11. determinism: what two fresh processes answered about one world must agree to the byte (certify.md). */
import type { Finding } from '../../artifacts/certificate.js';
import type { JobResult } from './script.js';

const differences = (a: JobResult, b: JobResult): string[] => {
  if (a.error ?? b.error) return [`could not be run: ${a.error ?? b.error}`];
  if (a.world !== b.world) return [`two processes answered about different worlds: ${a.world} and ${b.world}`];
  const out: string[] = [];
  if (a.observations !== b.observations) out.push('two processes observed different results');
  if (a.state !== b.state) out.push('two processes ended in different states');
  if (a.state !== a.restored || b.state !== b.restored) out.push('snapshot and restore changed the state');
  for (const id of new Set([...Object.keys(a.tasks), ...Object.keys(b.tasks)])) {
    const end = a.tasks[id] ?? 'missing';
    if (end !== b.tasks[id]) out.push(`task ${id} ended differently in two processes`);
    else if (!end.startsWith('pass')) out.push(`the reference of task ${id} fails in a fresh process`);
  }
  return out;
};

/** The finding on one world from what two processes answered. */
export const judgeDeterminism = (a: JobResult, b: JobResult, calls: number): Finding => {
  const faults = differences(a, b);
  const tasks = Object.keys(a.tasks).length;
  const saw = `${calls} calls${tasks > 0 ? ` and ${tasks} references` : ''} in two fresh processes: state ${a.state.slice(0, 12)} in both, unchanged by snapshot and restore`;
  return faults.length === 0
    ? { id: 'determinism', pass: true, evidence: [saw] }
    : {
        id: 'determinism',
        pass: false,
        evidence: faults,
        repair: { part: 'steps', hint: 'Something reads a clock, an order or a number that is not seeded.' },
      };
};
