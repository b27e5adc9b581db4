/** A document as a built world has it: the first of the services that were packed for agents, behind the document's own paths. */
import { assembleWorld } from '../../src/author/assemble.js';
import { drawClock } from '../../src/author/catalogue/brief/clock.js';
import { drawCompany } from '../../src/author/catalogue/brief/company.js';
import { readText } from '../../src/author/catalogue/brief/text.js';
import { packedFaces } from '../../src/author/face/packed.js';
import { authored } from '../../src/author/openapi/author.js';
import type { CompiledFake } from '../../src/fake/compile.js';
import { rng } from '../../src/kit/rng.js';
import { Engine } from '../../src/world/state/engine.js';

/** Throws where the document makes no service, as `treadle build` refuses it. */
export const packedFake = async (name: string, text: string, seed: string): Promise<CompiledFake> => {
  const { result, understood } = authored([{ name, text }], { name, seed });
  const [spec] = result.services;
  const [face] = understood && spec ? packedFaces(understood, [spec]) : [];
  if (!understood || !spec || !face) throw new Error(`refused: ${result.report.refused?.code ?? 'nothing is bound'}`);
  const draw = rng(seed, 'packed', spec.id);
  const where = { code: 'US', city: undefined, evidence: [] };
  const brief = readText(spec.title);
  const { company } = drawCompany({ brief, where, language: 'en', trade: undefined, pins: {}, rng: draw.stream('c') });
  const engine = await Engine.start();
  try {
    const built = assembleWorld(engine, {
      id: spec.id,
      company,
      brief: { text: spec.title, evidence: [] },
      clock: drawClock(draw.stream('clock')),
      seed,
      services: [{ spec, role: 'domain', prefix: '' }],
      links: [],
      policies: [],
      invariants: [],
      processes: [],
    });
    return { document: understood.understanding.document, face, report: result.report, built };
  } finally {
    engine.close();
  }
};
