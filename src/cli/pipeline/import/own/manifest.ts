/** world.yaml of an import: which files of the folder are the world. Where it is missing, it is what the folder's names say. */
import { realpathSync, statSync } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { Name } from '../../../../artifacts/table.js';
import { exists, namesIn, readBytes } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';
import { snake } from '../../../../kit/words.js';
import { Page } from '../../../../tasks/by-hand/page.js';

const file = z.string().min(1);

export const Manifest = z.strictObject({
  id: Name.optional(),
  /** ServiceSpecs, JSON or YAML. */
  services: z.array(file).min(1).max(10).optional(),
  /** An OpenAPI document or an MCP tool list; the company's mail, chat and directory come with it. */
  document: file.optional(),
  overrides: file.optional(),
  /** As `treadle build --data`: FILE, or table=FILE. */
  data: z.array(file).optional(),
  policy: file.optional(),
  licence: file.optional(),
  /** When every session begins. */
  clock: z.iso.datetime().optional(),
  company: z
    .strictObject({
      name: z.string().min(1),
      about: z.string(),
      country: z.string().regex(/^[A-Z]{2}$/),
      city: z.string(),
      timezone: z.string(),
      currency: z.string().regex(/^[A-Z]{3}$/),
    })
    .partial()
    .optional(),
});
export type Manifest = z.infer<typeof Manifest>;

export interface Folder {
  dir: string;
  id: string;
  manifest: Manifest;
  /** For refusals with the line. */
  page: Page;
  /** Names of the files in tasks/, sorted. */
  tasks: string[];
}

const NEXT = 'See docs/import-format.md for what the folder may hold.';
const PROSE = 'world.yaml';

const refuse = (message: string, value: string, next = NEXT): TreadleError =>
  new TreadleError({ code: 'bad_import', message, value, next });

const filesIn = (dir: string, folder: string, kind: RegExp): string[] =>
  exists(join(dir, folder))
    ? namesIn(join(dir, folder))
        .filter((name) => kind.test(name) && !name.startsWith('.'))
        .sort()
        .map((name) => `${folder}/${name}`)
    : [];

/** What the names in the folder say, where no world.yaml does. */
const guessed = (dir: string): Manifest => {
  const services = filesIn(dir, 'services', /\.(ya?ml|json)$/i);
  const names = namesIn(dir);
  const document = names.find((name) => /^(openapi|swagger|tools)\.(ya?ml|json)$/i.test(name));
  const data = filesIn(dir, 'data', /\.(csv|json|db|sqlite3?)$/i);
  return {
    ...(services.length > 0 ? { services } : {}),
    ...(services.length === 0 && document ? { document } : {}),
    ...(data.length > 0 ? { data } : {}),
    ...(names.includes('policy.md') ? { policy: 'policy.md' } : {}),
    ...(names.includes('LICENSE') ? { licence: 'LICENSE' } : {}),
  };
};

const manifestOf = (page: Page): Manifest => {
  const parsed = Manifest.safeParse(page.value ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
  const stray = issue?.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path;
  const where = path.length > 0 ? `${path.join('.')}: ` : '';
  throw page.refusal(stray, `${where}${issue?.message ?? 'no world'}`, stray.at(-1) ?? page.file, NEXT);
};

/** The path of a file that world.yaml names: it lies in the folder, links followed. Throws `bad_import` with the line. */
export const placed = ({ dir, page }: Pick<Folder, 'dir' | 'page'>, key: string, given: string): string => {
  const path = resolve(dir, given);
  const inside = (root: string, one: string): boolean => {
    const way = relative(root, one);
    return way !== '..' && !way.startsWith(`..${sep}`) && resolve(root, way) === one;
  };
  const at = [key];
  if (!inside(resolve(dir), path))
    throw page.refusal(at, `${key} leads out of the folder`, given, 'Put the file into it.');
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw page.refusal(at, `${key}: there is no such file in the folder`, given, 'Check the path, or leave it out.');
  if (!inside(realpathSync(dir), realpathSync(path)))
    throw page.refusal(at, `${key} is a link that leads out of the folder`, given, 'Put the file itself into it.');
  return path;
};

/** Reads what the folder is. Throws `missing_file`, `bad_import`, and `bad_task` with the line of world.yaml. */
export const readFolder = (dir: string): Folder => {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new TreadleError({ code: 'missing_file', message: 'There is no such folder', value: dir, next: NEXT });
  const world = join(dir, PROSE);
  const hasOwn = exists(world);
  const page = Page.read(PROSE, hasOwn ? Buffer.from(readBytes(world)).toString('utf8') : '{}');
  const manifest = hasOwn ? { ...manifestOf(page) } : guessed(dir);
  if ((manifest.services === undefined) === (manifest.document === undefined))
    throw refuse(
      manifest.services ? 'The folder names services and a document' : 'The folder has neither services nor a document',
      hasOwn ? PROSE : dir,
      'Give ServiceSpecs in services/, or one OpenAPI document or tool list.',
    );
  const tasks = filesIn(dir, 'tasks', /\.ya?ml$/i);
  if (tasks.length === 0) throw refuse('The folder has no tasks', join(dir, 'tasks'), 'Put each into tasks/NAME.yaml.');
  const id = manifest.id ?? snake(basename(resolve(dir)).slice(0, 50));
  if (!Name.safeParse(id).success)
    throw refuse(
      'The folder’s name is no name for a world',
      basename(resolve(dir)),
      'Give one: id: my_shop in world.yaml.',
    );
  return { dir, id, manifest, page, tasks };
};

/** `tasks/refund late.yaml` -> `refund-late`, where the task gives no id of its own. */
export const idOfFile = (name: string): string => snake(basename(name, extname(name))).replaceAll('_', '-');
