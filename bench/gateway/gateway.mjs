// The gateway in a process of its own, from source. Messages: `{ open: backend }`, `{ close: token }`, `{ cpu: true }`; each is answered.
import { register } from 'node:module';

register('../loader.mjs', import.meta.url);
const { startGateway } = await import('../../src/rollout/gateway/gateway.ts');
const gateway = await startGateway();
const rollouts = new Map();
process.on('message', ({ open, close, cpu }) => {
  if (open) {
    const rollout = gateway.open({ backend: open });
    rollouts.set(rollout.token, rollout);
    process.send(rollout.token);
  } else if (close) {
    const { messages, usage, facts } = rollouts.get(close).close();
    rollouts.delete(close);
    process.send({ messages: messages.length, turns: usage.turns, exchanges: facts.exchanges });
  } else if (cpu) {
    const { user, system } = process.cpuUsage();
    process.send((user + system) / 1000);
  }
});
process.on('disconnect', () => process.exit());
process.send(gateway.url);
