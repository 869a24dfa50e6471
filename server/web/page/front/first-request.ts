import { endpoints } from '@paid-inference/contract/constants';
import type { SiteFacts } from '../../facts.ts';

/** A program that a visitor can copy. */
export type Program = {
  readonly name: string;
  /** What the reader needs before the program runs. */
  readonly before: string;
  readonly code: string;
};

type Facts = Pick<SiteFacts, 'gateway' | 'token' | 'payTo' | 'devnetPayer'> & {
  readonly models: readonly { readonly id: string }[];
};

const question = 'What is 6 times 7?';

/** The first request in four languages, with the address, the token and a model of this gateway. `goProgram` is a whole program. */
export function firstRequests(facts: Facts, goProgram: string): readonly Program[] {
  const { gateway, token, payTo, devnetPayer } = facts;
  const model = facts.models[0]?.id ?? '';
  const keyFile = devnetPayer === null ? 'payer.key' : '.data/devnet/payer.key';
  const needsKey = `The file ${keyFile} has the private key of an account with some of the token.`;
  return [
    {
      name: 'curl',
      before: 'This request pays nothing. The header X-PAYMENT-REQUIRED of the response has the offer.',
      code: `curl -i ${gateway}${endpoints.createChatCompletion.path} \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"${question}"}]}'`,
    },
    {
      name: 'TypeScript',
      before: `The program needs the packages @paid-inference/client and ethers. ${needsKey}`,
      code: `import { readFileSync } from 'node:fs';
import { createClient } from '@paid-inference/client';
import { Wallet } from 'ethers';

const client = createClient({
  baseUrl: '${gateway}',
  signer: new Wallet(readFileSync('${keyFile}', 'utf8').trim()),
  rules: {
    amountPerRequestMax: 100_000n,
    amountTotalMax: 1_000_000n,
    assets: ['${token.address}'],
    payTo: ['${payTo}'],
  },
});
const messages = [{ role: 'user' as const, content: '${question}' }];
const result = await client.chat({ model: '${model}', messages });
if (result.kind === 'completion') console.log(result.completion.choices[0]?.message.content, result.receipt?.txHash);
else console.log(result);`,
    },
    {
      name: 'Python',
      before: `The program needs the packages paid-inference and openai. ${needsKey}`,
      code: `from openai import OpenAI
import paid_inference

http_client = paid_inference.client(
    key_file="${keyFile}",
    amount_per_request_max=100_000,
    amount_total_max=1_000_000,
    assets=["${token.address}"],
    pay_to=["${payTo}"],
)
openai = OpenAI(base_url="${gateway}/v1", api_key="unused", http_client=http_client)
completion = openai.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(completion.choices[0].message.content)`,
    },
    {
      name: 'Go',
      before: `The program needs the module go-ethereum. Run it with: go run . ${gateway} ${keyFile} ${token.address} ${payTo}`,
      code: goProgram.trim(),
    },
  ];
}
