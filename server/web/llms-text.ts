import { endpoints, headerNames, network } from '@paid-inference/contract/constants';
import type { SiteFacts } from './facts.ts';

/** The text for programs that read pages, in the form of llmstxt.org. */
export function describeForAgents({ gateway, token, payTo, models }: SiteFacts): string {
  const { createChatCompletion: chat, createCompletion: text, listModels, getOpenApiDocument } = endpoints;
  const lines = models.map(
    ({ id, context_length: context, pricing }) =>
      `- \`${id}\`: ${context} tokens, ${pricing.input_per_million} units for a million tokens of input and ${pricing.output_per_million} of output, at least ${pricing.minimum} for a request`,
  );
  return `# Paid inference gateway

> Sells completions of language models by the request, over HTTP 402 (x402). A client needs no account and no API key. It pays each request with a signed token transfer (EIP-3009).

## Buy a completion

1. POST a request to ${gateway}${chat.path} in the format of OpenAI's chat completions. ${gateway}${text.path} has text completions.
2. The response is 402. Its header \`${headerNames.paymentRequired}\` is the base64 of a JSON offer: \`payTo\`, \`asset\`, and the price \`maxAmountRequired\` in the token's smallest unit.
3. Sign \`TransferWithAuthorization\` (EIP-712) for the offer: \`value\` is the price, \`nonce\` has 32 random bytes, and \`validBefore\` is at most \`maxTimeoutSeconds\` from now.
4. Send the same request again with the header \`${headerNames.payment}\`, the base64 of \`{"payload":{"signature","authorization"}}\`.
5. The response is 200 with the completion. \`${headerNames.paymentResponse}\` has the receipt, and \`${headerNames.inferenceProof}\` the proof.

After an error or a timeout, send the same payment again. A second payment costs a second time.

## This gateway

- Network: ${network}
- Token: ${token.name} at ${token.address}
- Recipient: ${payTo}

## Models

${lines.join('\n')}

## Documents

- [OpenAPI](${gateway}${getOpenApiDocument.path}): all endpoints
- [Models](${gateway}${listModels.path}): limits and prices as JSON
- [API reference](${gateway}/docs): the same for people
`;
}
