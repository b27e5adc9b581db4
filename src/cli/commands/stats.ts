/** treadle stats: what a corpus is made of and how alike its worlds and tasks are. */
import { Command } from 'commander';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { corpusStatistics } from '../../corpus/statistics/statistics.js';
import { TreadleError } from '../../errors.js';
import { DEFAULT_OUT, jsonOption } from '../options.js';
import { figureRows } from '../report/statistics.js';
import { makeUi } from '../ui.js';

const MOST_NAMED = 8;

export const statsCommand = (): Command =>
  new Command('stats')
    .description('count what a corpus holds and how alike its worlds and tasks are')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The figures of tasks' texts are made as AgentMercury's: TF-IDF cosines over all tasks, exact up to 50,000 tasks; above that the
nearest neighbours are those of a seeded 50,000. report.html of a corpus of many worlds draws the same.

Examples:
  treadle stats corpora/world
  treadle stats corpora/world --json > statistics.json`,
    )
    .action((dir: string, { json }: { json?: boolean }) => {
      const ui = makeUi(json === true);
      const corpus = Corpus.open(dir);
      const index = readIndex(corpus);
      if (index.worlds.length === 0)
        throw new TreadleError({
          code: 'no_world',
          message: 'The corpus holds no world',
          value: dir,
          next: 'Run treadle build first.',
        });
      const figures = corpusStatistics(corpus, index, (done) =>
        ui.progress(`${done} of ${index.worlds.length} worlds`),
      );
      ui.give(figures);
      const rows = figureRows(figures);
      const width = Math.max(...rows.map(([name]) => name.length));
      const valueWidth = Math.max(...rows.map(([, value]) => value.length));
      for (const [name, value, published] of rows)
        ui.say(
          `${name.padEnd(width)}  ${value.padEnd(valueWidth)}${published ? ui.style('dim', `  AgentMercury ${published}`) : ''}`.trimEnd(),
        );
      const named = (what: string, counts: readonly (readonly [string, number])[]): void => {
        const more = counts.length > MOST_NAMED ? `, and ${counts.length - MOST_NAMED} more` : '';
        ui.say(
          `${what}: ${counts
            .slice(0, MOST_NAMED)
            .map(([name, n]) => `${name} ${n}`)
            .join(', ')}${more}`,
        );
      };
      ui.say('');
      named('services', figures.by_service);
      named('sectors', figures.sectors);
      named('countries', figures.by_country);
      named('families', figures.by_family);
      named('tools a world', figures.tools_a_world);
      named('tasks a world', figures.tasks_a_world);
      named('calls a task', figures.calls_a_task);
      named(
        'most alike tool lists',
        figures.most_alike.map(({ service, identical_list_share: share }) => [service, share] as const),
      );
    });
