/** treadle stats: what a corpus is made of and how alike its worlds and tasks are. */
import { Command } from 'commander';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { corpusStatistics } from '../../corpus/statistics/statistics.js';
import { TreadleError } from '../../errors.js';
import { DEFAULT_OUT, jsonOption } from '../options.js';
import { gatherScenarios, type ScenarioFigures } from '../report/scenarios/gather.js';
import { scenarioBars, scenarioRows } from '../report/scenarios/rows.js';
import { figureRows } from '../report/statistics.js';
import { makeUi, type Ui } from '../ui.js';

const MOST_NAMED = 8;

/** Figures in columns; `paper` is whose the published ones are. */
const sayRows = (ui: Ui, rows: readonly [string, string, string][], paper: string): void => {
  const width = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  for (const [name, value, published] of rows)
    ui.say(
      `${name.padEnd(width)}  ${value.padEnd(valueWidth)}${published ? ui.style('dim', `  ${paper} ${published}`) : ''}`.trimEnd(),
    );
};

const sayNamed = (ui: Ui, what: string, counts: readonly (readonly [string, number])[]): void => {
  const more = counts.length > MOST_NAMED ? `, and ${counts.length - MOST_NAMED} more` : '';
  ui.say(
    `${what}: ${counts
      .slice(0, MOST_NAMED)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ')}${more}`,
  );
};

const sayScenarios = (ui: Ui, figures: ScenarioFigures): void => {
  ui.say('');
  sayRows(ui, scenarioRows(figures), 'DynaWeave');
  ui.say('');
  for (const { title, counts } of scenarioBars(figures)) {
    const own = Object.entries(counts);
    if (own.length > 0) sayNamed(ui, title.toLowerCase(), own);
  }
};

/** Maps as plain objects, for JSON. */
const scenarioData = ({ counts, outdated, rolled: { actors, ...rolled } }: ScenarioFigures): object => ({
  ...counts,
  outdated,
  rollouts: {
    ...rolled,
    actors: Object.fromEntries([...actors].map(([actor, by]) => [actor, Object.fromEntries(by)])),
  },
});

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

Where treadle dynamics has made scenarios, their events are counted as DynaWeave's Figure 2 counts them: by source, trigger, who
tells of them, fault profile, events a scenario, depth of the graph, and what was refused by which rule; report.html draws it.

Examples:
  treadle stats corpora/world
  treadle stats corpora/world --json > statistics.json
  treadle dynamics treadle-out && treadle stats treadle-out`,
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
      const scenarios = gatherScenarios(
        corpus,
        index.worlds.map(({ id }) => id),
      );
      ui.give({ ...figures, ...(scenarios ? { scenarios: scenarioData(scenarios) } : {}) });
      sayRows(ui, figureRows(figures), 'AgentMercury');
      ui.say('');
      sayNamed(ui, 'services', figures.by_service);
      sayNamed(ui, 'sectors', figures.sectors);
      sayNamed(ui, 'countries', figures.by_country);
      sayNamed(ui, 'families', figures.by_family);
      sayNamed(ui, 'tools a world', figures.tools_a_world);
      sayNamed(ui, 'tasks a world', figures.tasks_a_world);
      sayNamed(ui, 'calls a task', figures.calls_a_task);
      sayNamed(
        ui,
        'most alike tool lists',
        figures.most_alike.map(({ service, identical_list_share: share }) => [service, share] as const),
      );
      if (scenarios) sayScenarios(ui, scenarios);
    });
