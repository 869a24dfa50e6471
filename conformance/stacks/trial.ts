import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Wallet } from 'ethers';
import { type GatewayProcess, startGateway, stopGateway } from '../testing/gateway-process.ts';
import { startProxy } from '../testing/proxy.ts';
import { compareLine } from './compare.ts';
import { createPaymentReader } from './payments.ts';
import { runProgram, type Surroundings } from './program.ts';
import type { Exchange, Scenario } from './scenarios.ts';

/** A purchase takes less than a second. The deadline allows for the start of a runtime on a busy machine. */
const runSecondsMax = 60;

/** Runs a client in a scenario. Returns one sentence for each fault. */
export type Trial = (
  scenario: Scenario,
  command: readonly string[],
  surroundings: Omit<Surroundings, 'deadlineSeconds'>,
) => Promise<readonly string[]>;

/** Two gateways with devnets: an open one, and one whose rate limit is used up. */
export async function openTrial(): Promise<{ readonly run: Trial; close(): Promise<void> }> {
  const [open, limited] = await Promise.all([
    startGateway(),
    startGateway('advanced: { addressRateLimit: { requestsMax: 1, windowSeconds: 3600 } }\n'),
  ]);
  await fetch(`${limited.ready.url}/v1/models`);
  const payments = createPaymentReader(open);
  return {
    async run(scenario, command, surroundings) {
      const exchanges: Exchange[] = [];
      const gateway = { open, limited, stub: open }[nameGateway(scenario)];
      await using proxy = await startProxy(gateway.ready.url, async (request, forward) => {
        const response = typeof scenario.gateway === 'string' ? await forward() : scenario.gateway;
        exchanges.push({ request, response });
        return response;
      });
      const before = await payments.balance();
      const ended = await runProgram(command, {
        ...surroundings,
        deadlineSeconds: runSecondsMax,
        environment: {
          ...surroundings.environment,
          GATEWAY_URL: proxy.url,
          PAYER_KEY: scenario.payer === 'funded' ? readKey(open) : Wallet.createRandom().privateKey,
          SCENARIO: scenario.id,
        },
      });
      if (ended.fault !== undefined) return [`The client ${ended.fault}. ${ended.stderr.slice(-2_000)}`];
      return [
        ...compareLine(scenario, exchanges, ended.stdout),
        ...(await payments.check(exchanges, scenario.payments, before)),
      ];
    },
    async close() {
      payments.close();
      await Promise.all([stopGateway(open), stopGateway(limited)]);
    },
  };
}

function nameGateway({ gateway }: Scenario): 'open' | 'limited' | 'stub' {
  return typeof gateway === 'string' ? gateway : 'stub';
}

function readKey({ folder, ready }: GatewayProcess): string {
  return readFileSync(resolve(folder, ready.payer.keyFile), 'utf8').trim();
}
