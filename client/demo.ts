import type { SavedExchange } from '@paid-inference/contract/types';
import { readKey } from './cli/key.ts';
import { tolerateOutputFaults } from './cli/output-faults.ts';
import { hideKeys, visibleLine } from './cli/visible.ts';
import { createClient } from './client.ts';
import { buyWithTool } from './demo/buy-with-tool.ts';
import { readBalances, requireExactChange, requireSettled } from './demo/chain-check.ts';
import { type GatewayProcess, startGatewayProcess } from './demo/gateway-process.ts';
import { createNarrator, type Narrator } from './demo/narrator.ts';
import { verifyPurchases } from './demo/verify-purchases.ts';
import { openToken, shownUnits, type TokenTerms } from './token.ts';

/** Far above the price of one of the two completions. */
const amountPerRequestMax = 100_000n;

const help = `Usage: npm run demo

Starts a gateway with a test chain and a test token of its own. Buys two completions, one of them with a tool
call. Compares the payments with the chain and verifies the proofs of inference. It needs no key, spends nothing
of value, and leaves no process running. It takes no options. NO_COLOR turns colours off.

Exit codes: 0 every step succeeded, 1 a step failed, 2 wrong usage, 130 interrupted by Ctrl-C (143 by SIGTERM, 129 by SIGHUP).
`;

/** 128 plus the number of the signal, as in shells. */
const interruptedExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

tolerateOutputFaults((fault) => {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
});
const given = process.argv.slice(2);
if (given.some((each) => each === '--help' || each === '-h')) process.stdout.write(help);
else if (given[0] !== undefined) {
  process.stderr.write(
    `The demo takes no options, but got ${hideKeys(visibleLine(given[0]))}. Run npm run demo -- --help for help.\n`,
  );
  process.exitCode = 2;
} else await run();

/** Buys two completions from a gateway of its own and compares payments and proofs with its chains. */
async function run(): Promise<void> {
  const interruption = new AbortController();
  for (const name of Object.keys(interruptedExitCodes)) process.on(name, () => interruption.abort(name));
  let terms: TokenTerms | null = null;
  const narrator = createNarrator(() => terms);
  let gateway: GatewayProcess | null = null;
  try {
    narrator.chapter('Start a gateway with a test chain and a test token');
    gateway = await startGatewayProcess(interruption.signal);
    await demonstrate(gateway, narrator, interruption.signal, (read) => {
      terms = read;
    });
  } catch (error) {
    // An interruption causes errors of its own. The line below reports the interruption instead.
    if (!interruption.signal.aborted) {
      const message = error instanceof Error ? error.message : 'no reason given';
      process.stderr.write(`\nThe demo failed: ${message}\n`);
      process.exitCode = 1;
    }
  } finally {
    await gateway?.stop();
  }
  if (interruption.signal.aborted) {
    process.stderr.write('\nThe demo was interrupted. Its gateway and its chains have stopped.\n');
    process.exitCode = interruptedExitCodes[interruption.signal.reason as keyof typeof interruptedExitCodes];
  }
}

async function demonstrate(
  { ready }: GatewayProcess,
  narrator: Narrator,
  signal: AbortSignal,
  onTerms: (terms: TokenTerms) => void,
): Promise<void> {
  const key = readKey(ready.payer.keyFile, {});
  if (!key.ok) throw new Error(key.message);
  const token = openToken(ready.chain.rpcUrl, ready.token.address);
  try {
    const terms = await token.terms();
    onTerms(terms);
    const before = await readBalances(token, key.wallet.address, ready.payTo);
    narrator.object(`listens at ${ready.url}`, {
      chain: `eip155:${ready.chain.id} at ${ready.chain.rpcUrl}`,
      ledger: `${ready.proofLedger.contract} on eip155:${ready.proofLedger.chainId} at ${ready.proofLedger.rpcUrl}`,
      token: `${ready.token.name}, ${ready.token.address}`,
      payer: `${key.wallet.address} holds ${shownUnits(before.payer, terms)}`,
      payee: `${ready.payTo} holds ${shownUnits(before.payee, terms)}`,
    });

    const bought: SavedExchange[] = [];
    const client = createClient({
      baseUrl: ready.url,
      signer: key.wallet,
      rules: {
        amountPerRequestMax,
        amountTotalMax: 2n * amountPerRequestMax,
        assets: [ready.token.address],
        payTo: [ready.payTo],
      },
      onStep: narrator.step,
      onExchange: (exchange) => bought.push(exchange),
    });
    const purchases = await buyWithTool(client, narrator, signal);

    narrator.chapter('Compare with the chain');
    for (const purchase of purchases) {
      await requireSettled(token, ready.token.address, purchase);
      const { txHash } = purchase.receipt;
      narrator.fact(`${txHash} used the signed nonce and moved ${purchase.authorization.value} units`);
    }
    const price = purchases.reduce((sum, { authorization }) => sum + BigInt(authorization.value), 0n);
    const after = await readBalances(token, key.wallet.address, ready.payTo);
    requireExactChange(before, after, price);
    narrator.fact(`the payer has ${shownUnits(price, terms)} less: ${before.payer} → ${after.payer}`);
    narrator.fact(`the payee has exactly that much more: ${before.payee} → ${after.payee}`);
    await verifyPurchases(bought, ready, narrator, signal);
  } finally {
    token.close();
  }
}
