import { endpoints } from '@paid-inference/contract/constants';
import { type HDNodeWallet, Wallet } from 'ethers';
import type { PayerOptions } from '../pay.ts';
import type { SpendingRules } from '../payment/rules.ts';
import type { Step } from '../payment/step.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { testModel } from './completions.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/** A gateway, a wallet, and the options of a payer that may pay this gateway. */
export type Stage = {
  readonly gateway: TestGateway;
  readonly wallet: HDNodeWallet;
  readonly clock: ManualClock;
  readonly steps: Step[];
  readonly chatUrl: string;
  readonly completionsUrl: string;
  options(rules?: Partial<SpendingRules>): PayerOptions;
  [Symbol.asyncDispose](): Promise<void>;
};

export const chatBody = { model: testModel, messages: [{ role: 'user' as const, content: 'Say pong.' }] };

export const chatInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(chatBody),
};

export async function setStage(): Promise<Stage> {
  const clock = manualClock();
  const gateway = await startTestGateway(clock.nowSeconds);
  const wallet = Wallet.createRandom();
  const steps: Step[] = [];
  return {
    gateway,
    wallet,
    clock,
    steps,
    chatUrl: gateway.url + endpoints.createChatCompletion.path,
    completionsUrl: gateway.url + endpoints.createCompletion.path,
    options: (rules = {}) => ({
      signer: wallet,
      rules: { amountPerRequestMax: 100_000n, amountTotalMax: 1_000_000n, ...rules },
      clock,
      timeoutMs: 5_000,
      onStep: (step) => steps.push(step),
    }),
    [Symbol.asyncDispose]: gateway.close,
  };
}
