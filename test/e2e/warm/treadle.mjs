/** `treadle` for shells: the command line is run by the warm process whose place is $TREADLE_WARM, here. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const { port } = JSON.parse(readFileSync(process.env.TREADLE_WARM, 'utf8'));
const socket = connect(port, '127.0.0.1', () => {
  socket.write(`${JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() })}\n`);
});
let text = '';
socket.setEncoding('utf8');
for await (const data of socket) text += data;
const { status, stdout, stderr } = JSON.parse(text);
process.exitCode = status;
// A reader may go away (`| head`).
process.stdout.on('error', () => process.exit());
process.stderr.write(stderr);
process.stdout.write(stdout);
