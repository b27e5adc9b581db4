import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../../test/fixtures/services.js';
import type { Certificate, Finding } from '../artifacts/certificate.js';
import { repairService } from './repair.js';

const spec = serviceFixture('tickets');

const certificate = (...findings: Finding[]): Certificate => ({
  treadle: 'certificate/1',
  kind: 'service',
  subject: 'a'.repeat(64),
  name: spec.id,
  pass: findings.every(({ pass }) => pass),
  findings,
});
const blaming = (id: string, tools: string[] | undefined): Finding => ({
  id,
  pass: false,
  evidence: [`something about ${tools?.[0] ?? 'the whole'}`, 'more'],
  repair: { part: 'steps', hint: 'Mend it.', ...(tools && { tools }) },
});

describe('repair', () => {
  it('leaves out what is blamed, once, with the reason, and touches nothing else', () => {
    const repair = repairService(
      spec,
      certificate(blaming('executability', ['solveTicket']), blaming('boundaries', ['solveTicket'])),
    );
    expect(Object.keys(repair?.spec.tools ?? {})).toEqual(['findTickets', 'getTicket', 'openTicket', 'assignTickets']);
    expect(repair?.dropped).toEqual([{ tool: 'solveTicket', why: 'executability: something about solveTicket' }]);
    expect(repair?.spec.tables).toBe(spec.tables);
    expect(Object.keys(spec.tools)).toContain('solveTicket');
  });
  it.each([
    ['nothing failed', certificate({ id: 'schema', pass: true, evidence: [] })],
    ['more than a tool is at fault', certificate(blaming('schema', undefined))],
    ['one of two failures is no tool’s', certificate(blaming('effects', ['getTicket']), blaming('schema', undefined))],
    ['the blame names no tool', certificate(blaming('effects', []))],
    ['a tool is blamed that does not exist', certificate(blaming('effects', ['noSuchTool']))],
    ['too few tools would be left', certificate(blaming('effects', ['findTickets', 'getTicket', 'openTicket']))],
    [
      'nothing could be written any more',
      certificate(blaming('effects', ['openTicket', 'assignTickets', 'solveTicket'])),
    ],
    ['nothing could be read any more', certificate(blaming('effects', ['findTickets', 'getTicket']))],
  ])('gives up when %s', (_, given) => expect(repairService(spec, given)).toBeUndefined());
});
