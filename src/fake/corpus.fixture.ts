/** A corpus folder with worlds of documents, as `treadle build` writes them but for the certificates; written for the tests. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Face } from '../artifacts/face.js';
import type { Task } from '../artifacts/task.js';
import { assembleWorld } from '../author/assemble.js';
import { packedFaces } from '../author/face/packed.js';
import { authored, type Understood } from '../author/openapi/author.js';
import { placeDocument } from '../author/place-document.js';
import { Corpus } from '../corpus/corpus.js';
import { keepFaces, writeWorldFaces } from '../corpus/faces.js';
import { generateTasks } from '../tasks/generate.js';
import { loadWorld, unloadWorld } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import { DESK_TEXT } from './desk.fixture.js';
import { TILL } from './testing/till.fixture.js';

export const DESK_SOURCE = { name: 'desk', text: DESK_TEXT };
export const TILL_SOURCE = { name: 'till', text: JSON.stringify(TILL) };

export interface MadeWorld {
  id: string;
  faces: Face[];
  tasks: readonly Task[];
}

export const corpusFolder = (): Corpus => Corpus.open(mkdtempSync(join(tmpdir(), 'treadle-faced-')), true);

/** A world of the services of these documents, one each. */
export const addWorld = async (
  corpus: Corpus,
  sources: readonly { name: string; text: string }[],
  { seed = '1', tasks = 0, isFaced = true } = {},
): Promise<MadeWorld> => {
  const read = sources.map((source) => {
    const { result, understood } = authored([source], { name: source.name, seed });
    const [spec] = result.services;
    if (!spec || !understood) throw new Error(`${source.name} makes no service`);
    return { spec, understood };
  });
  const engine = await Engine.start();
  const draft = placeDocument({ title: 'Help desk', services: read.map(({ spec }) => spec), seed });
  const built = assembleWorld(engine, draft);
  const { id } = built.world;
  const faces = read.flatMap(({ spec, understood }) => packedFaces(understood, [spec]));
  if (isFaced) {
    for (const { understood } of read) keepFaces(corpus, { document: documentOf(understood), faces });
    writeWorldFaces(corpus, id, faces);
  }
  corpus.writeWorld({ ...built, certificates: {} });
  let made: readonly Task[] = [];
  if (tasks > 0) {
    const loaded = loadWorld(engine, built);
    const library = generateTasks(loaded, { count: tasks, seed });
    made = library.tasks.map(({ task }) => task);
    const certificates = Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate]));
    corpus.writeTasks(id, { tasks: made, certificates, dropped: [] });
    unloadWorld(loaded);
  }
  engine.close();
  return { id, faces, tasks: made };
};

const documentOf = ({ understanding }: Understood): string => JSON.stringify(understanding.document.root);
