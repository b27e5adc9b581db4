/** A warm process says what one of its own says, run after run. */
import { expect, it, vi } from 'vitest';
import { treadle } from '../cli.js';
import { warm, warmBeside } from './warm.js';

vi.setConfig({ testTimeout: 300_000 });

it.each([[['show', 'nowhere', '--json']], [['what']]])('%j', async (args) => {
  const alone = treadle(args);
  expect([warm(args), warm(args), await warmBeside(args)]).toEqual([alone, alone, alone]);
});
