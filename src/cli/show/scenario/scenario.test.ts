/** A scenario in words: every kind of event, what it makes of checks and reference, and nothing that steers a terminal. */
import { describe, expect, it } from 'vitest';
import { toyTask } from '../../../../test/rollout/toy.js';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Call } from '../../../artifacts/task.js';
import { event, needs, onCall } from '../../../dynamics/event.fixture.js';
import { addressOf } from '../../../kit/hash.js';
import type { Ui } from '../../ui.js';
import { referenceChanges, revisions } from './changes.js';
import { effectLines, eventEntries, toldWords, whenWords } from './events.js';
import { sayScenario, scenarioData } from './scenario.js';

const task = toyTask();
const START = 1_709_596_800;
const [first, second, third] = task.reference.calls as [Call, Call, Call];
const other: Call = { ...third, args: { ...third.args, reason: 'asked twice' } };
const [check] = task.milestones[0]?.checks ?? [];
const scenarioOf = (events: ScenarioEvent[], calls = [first, second, other]): Scenario => ({
  treadle: 'scenario/1',
  id: 'toy-e1',
  task: addressOf(task),
  taskId: task.id,
  world: task.world,
  worldId: 'toy',
  seed: '1',
  offersWait: true,
  events,
  reference: { ...task.reference, calls, answer: '3000' },
});

describe('an event', () => {
  it.each([
    [{ after: { tool: 'get', nth: 1 } }, 'after the 1st successful call of get'],
    [{ after: { tool: 'get', nth: 12, args: { id: 1 } } }, 'after the 12th successful call of get with {"id":1}'],
    [{ after: { tool: 'get', nth: 23 } }, 'after the 23rd successful call of get'],
    [{ at: START + 65 }, 'by the clock, from 2024-03-05T00:01:05Z (65 s in) on'],
    [
      { random: { p: 0.125, from: START, to: START + 1000 } },
      'at random, with 12.5 % after each call between 2024-03-05T00:00:00Z (0 s in) and 2024-03-05T00:16:40Z (1,000 s in)',
    ],
  ])('happens when %j', (when, words) => expect(whenWords({ when }, START)).toBe(words));

  it.each([
    [{ say: 'No.' }, ['what is asked: “No.”']],
    [{ fault: { profile: 'P1' as const, tool: 'get' } }, ['get fails openly and passes (P1, 1 call long)']],
    [
      { fault: { profile: 'P3' as const, tool: 'get', times: 2, about: 'a.b' } },
      ['get lies and comes right again (P3, 2 calls long), about a.b'],
    ],
    [{ fault: { profile: 'P4' as const, tool: 'get' } }, ['get lies from then on (P4)']],
    [{ publish: { service: 's', table: 't', set: { id: 1, x: 'y' }, authoritative: true } }, ['+ s.t: id 1, x "y"']],
    [
      {
        patch: [
          { do: 'update' as const, service: 's', table: 't', where: { id: 1 }, set: { x: null } },
          { do: 'delete' as const, service: 's', table: 't', where: { id: 2 } },
        ],
      },
      ['~ s.t with id 1: x null', '- s.t with id 2'],
    ],
  ])('changes %j', (effect, lines) => expect(effectLines([], { effect })).toEqual(lines));

  it('is told by somebody, or found out', () => {
    expect(toldWords({ notify: { to: 'user', text: 'Wait.' } })).toBe('by the user: “Wait.”');
    expect(toldWords({ notify: { to: 'environment', text: 'x', discoverBy: ['a', 'b'] } })).toBe(
      'by a notification: “x”; found out by a or b',
    );
    expect(toldWords({ notify: { to: 'none', discoverBy: ['a'] } })).toBe('found out by a');
    expect(toldWords({ notify: { to: 'none' } })).toBe('by nobody');
  });

  it('says what it depends on', () => {
    const path = { service: 's', table: 't', key: 1, col: 'x' };
    const own = event('late', {
      needs: [{ id: 'early', delay: 60 }, ...needs('first').needs],
      excludes: ['rival'],
      expires: START + 9,
      guard: [
        { path, op: 'lte', value: 5 },
        { path: { service: 's', table: 't' }, op: 'absent' },
      ],
    });
    const entries = Object.fromEntries(eventEntries([], own, START));
    expect(entries).toMatchObject({
      who: 'state: somebody outside, who changes records',
      'only if': 's.t 1 x is at most 5; there is no s.t',
      needs: 'early, 60 s before; first',
      'not with': 'rival',
      until: '2024-03-05T00:00:09Z (9 s in)',
    });
  });
});

describe('what becomes of', () => {
  it('checks: retired, replaced as an earlier event left them, added, and the answer', () => {
    if (!check) throw new Error('no check');
    const replaced = event('one', {
      checks: { retire: [], replace: [{ id: check.id, by: { ...check, until: 'n9' } }], add: [] },
    });
    const gone = event('two', {
      checks: {
        retire: [check.id],
        replace: [],
        add: [{ kind: 'invariant', id: 'c9', invariant: 'rule', footprint: [] }],
        ...(task.answer ? { answer: { is: { ...task.answer, expected: 3000 } } } : {}),
      },
    });
    const [a, b] = revisions(task, { events: [replaced, gone] }, []);
    expect(a?.changes.map(({ sign }) => sign)).toEqual(['-', '+']);
    expect(a?.changes[1]?.text).toContain('(until n9)');
    // What goes is the check that the first event left.
    expect(b?.changes[0]).toEqual({ sign: '-', text: a?.changes[1]?.text });
    expect(b?.changes[1]).toEqual({ sign: '+', text: 'c9: the rule rule holds' });
  });

  it('the reference: call by call, whatever was put in, dropped or moved', () => {
    const signs = (calls: Call[], answer = task.reference.answer): string =>
      referenceChanges(task, { reference: { ...task.reference, calls, answer } })
        .map(({ sign }) => sign)
        .join('');
    expect(signs([first, second, third])).toBe('    ');
    expect(signs([first, second, other])).toBe('  -+ ');
    expect(signs([first, second, third, third])).toBe('   + ');
    expect(signs([])).toBe('--- ');
    expect(signs([third, first, second], 'x')).toMatch(/^[ +-]{4}-\+$/);
  });
});

it('is a page and data, and lets nothing steer the terminal', () => {
  let page = '';
  const ui: Ui = {
    json: false,
    progress: () => {},
    step: () => {},
    say: (line) => {
      page += `${line}\n`;
    },
    give: () => {},
    style: (_, text) => text,
  };
  const hostile = 'a\u001b[2J\u202e\u0000b';
  const said = event('said', {
    source: 'requirement',
    ...onCall('get_invoice'),
    effect: { say: hostile },
    notify: { to: 'user', text: hostile },
  });
  const calls = [first, second, { ...third, args: { id: hostile } }];
  const shown = { scenario: scenarioOf([said], calls), task, certificate: undefined, services: [], clock: START };
  sayScenario(ui, shown);
  expect(page).toMatch(/^toy-e1 {2}scenario of toy-void-by-customer-0, world toy\n/);
  expect(page).toContain('offers wait');
  expect(page).toContain('Event 1 of 1: said\n  when  after the 1st successful call of get_invoice');
  expect(page).toContain('Reference: 3 calls before, 3 with');
  expect(page).toContain(`  - billing: void_invoice`);
  expect(page).toContain('  + replies: 3000');
  expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  expect(scenarioData(shown)).toMatchObject({
    untouched: 1,
    events: [{ id: 'said' }],
    checks: [{ event: 'said', changes: [] }],
  });
});
