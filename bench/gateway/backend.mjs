// A model server that answers at once, in a process of its own: `delay_ms` of a request is how long it thinks, `pieces` how many
// events its streams have. GET /peak tells how many requests were open at once.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

let open = 0;
let peak = 0;
const usage = { prompt_tokens: 4000, completion_tokens: 64, total_tokens: 4064 };
const event = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const answer = (response, { stream, pieces = 64, n = 0 }) => {
  const words = Array.from({ length: pieces }, (_, at) => `word${at} `);
  const content = `${n}: ${words.join('')}`;
  if (!stream) {
    const message = { role: 'assistant', content };
    const body = { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event({ role: 'assistant', content: `${n}: ` }));
  for (const word of words) response.write(event({ content: word }));
  response.write(event({}, 'stop'));
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
};

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  if (request.url === '/peak') {
    response.end(String(peak));
    return;
  }
  peak = Math.max(peak, ++open);
  response.on('close', () => open--);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (body.delay_ms) await sleep(body.delay_ms);
    answer(response, body);
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
