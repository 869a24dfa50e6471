import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import type { Purchase } from '../purchase.ts';
import { createBuyer } from './buyer.ts';
import { lawful } from './habits.ts';
import { clientMutants } from './table.ts';

// The minimal client, or the mutant that the argument names, as a command for `client -- <command>`.

const [id] = process.argv.slice(2);
const mutant = clientMutants.find((each) => each.id === id);
const { env } = process;
const purchase: Purchase = {
  gatewayUrl: env['CONFORMANCE_URL'] ?? '',
  keyFile: env['CONFORMANCE_KEY_FILE'] ?? '',
  token: env['CONFORMANCE_TOKEN'] ?? '',
  rpcUrl: env['CONFORMANCE_RPC_URL'] ?? '',
  isStreamed: env['CONFORMANCE_STREAM'] === 'true',
};
const buyer = createBuyer(mutant?.habits() ?? lawful, {
  nowSeconds: () => Math.floor(systemClock().getTime() / 1000),
  waitSeconds: (seconds) => delay(seconds * 1000),
});
const { exitCode, output } = await buyer(purchase);
if (output !== '') process.stderr.write(`${output}\n`);
process.exitCode = exitCode ?? 1;
