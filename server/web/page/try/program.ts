import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';

type Facts = Pick<SiteFacts, 'gateway' | 'token' | 'payTo' | 'devnetPayer'>;

/** A program that makes the same purchase. */
export function purchaseProgram(
  facts: Facts,
  body: ChatCompletionRequest,
  settlementType: string,
  price: string,
): string {
  const keyFile = facts.devnetPayer === null ? 'payer.key' : '.data/devnet/payer.key';
  return `import { readFileSync } from 'node:fs';
import { createClient } from '@paid-inference/client';
import { Wallet } from 'ethers';

const client = createClient({
  baseUrl: ${JSON.stringify(facts.gateway)},
  signer: new Wallet(readFileSync(${JSON.stringify(keyFile)}, 'utf8').trim()),
  settlementType: ${JSON.stringify(settlementType)},
  rules: {
    amountPerRequestMax: ${price}n,
    amountTotalMax: ${price}n,
    assets: [${JSON.stringify(facts.token.address)}],
    payTo: [${JSON.stringify(facts.payTo)}],
  },
});
const streamed = await client.streamChat(${JSON.stringify(body, null, 2)});
if (streamed.kind !== 'stream') throw new Error(JSON.stringify(streamed));
for await (const chunk of streamed.chunks) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
const result = await streamed.whole();
console.log(result.kind === 'completion' ? result.receipt : result);
`;
}
