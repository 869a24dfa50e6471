// The gateway of Portkey, as its command starts it, on a free port of the loopback interface. The benchmark starts it
// as `node portkey.mjs`. It prints its URL.
import { Server } from 'node:net';

process.argv.push('--headless');
// Its banner would come before the URL.
console.log = () => {};
const listen = Server.prototype.listen;
Server.prototype.listen = function (_port, ...rest) {
  this.once('listening', () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${this.address().port}` })}\n`);
  });
  return listen.call(this, 0, '127.0.0.1', ...rest.filter((each) => typeof each === 'function'));
};
await import('@portkey-ai/gateway/build/start-server.js');
