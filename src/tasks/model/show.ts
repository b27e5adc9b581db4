/** What a model is told of a service: its tools as an agent is told of them, and rows as calls show them. */
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';
import { toolsOf } from '../ground/reveal.js';
import { clipped, cut } from './marked.js';

const DIRECTORY = 'directory';
const MOST_SCHEMA = 1_500;
const MOST_RESULT = 2_000;
const MOST_LISTS = 6;
/** Items of a list that are shown, others in each round. */
const ITEMS = 3;

/**
 * The tools that a task of the service may call: its own, and the look-ups of the company's directory, since services know people
 * by what only the directory tells.
 */
export const callable = ({ world }: Ground, service: LoadedService): NamedTool[] => [
  ...toolsOf(world, service.id),
  ...(service.id === DIRECTORY ? [] : toolsOf(world, DIRECTORY).filter(({ tool }) => tool.tool.writes.length === 0)),
];

/** One tool a line: full name, description, input schema. */
export const toolLines = (ground: Ground, service: LoadedService): string =>
  callable(ground, service)
    .map(
      ({ name, tool }) =>
        `- ${name}: ${tool.tool.description}\n  input: ${cut(JSON.stringify(tool.inputSchema), MOST_SCHEMA)}`,
    )
    .join('\n');

const needsNothing = ({ tool }: NamedTool): boolean => {
  const { required } = tool.inputSchema as { required?: Json };
  return tool.tool.writes.length === 0 && !(Array.isArray(required) && required.length > 0);
};

/** What the service's lists show when they are asked for everything: some of the items, from another place each `round`. */
export const sampleRows = (ground: Ground, service: LoadedService, round: number): string => {
  const session = ground.fresh();
  try {
    const lists = toolsOf(ground.world, service.id).filter(needsNothing).slice(0, MOST_LISTS);
    return lists
      .flatMap(({ name }) => {
        const { ok, result } = session.call(name, {});
        return ok
          ? [`${name} {} shows: ${cut(JSON.stringify(clipped(result, ITEMS, ITEMS * (round - 1))), MOST_RESULT)}`]
          : [];
      })
      .join('\n');
  } finally {
    session.drop();
  }
};
