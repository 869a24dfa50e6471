import process from 'node:process';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

// The client of x402 for JavaScript has no types of the contract, so it reads bodies as JSON.

const { GATEWAY_URL: gateway, PAYER_KEY: key, SCENARIO: scenario } = process.env;
const network = 'eip155:84532';
const model = 'alder/alder-mini';
const question = 'What is 6 times 7?';
const asked = { role: 'user', content: 'What is the status of order A-1042?' };
const tools = [
  {
    type: 'function',
    function: {
      name: 'order_status',
      description: 'Looks up the status of an order by its number',
      parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    },
  },
];
const chat = { model, messages: [{ role: 'user', content: question }] };
const paths = { chat: '/v1/chat/completions', text: '/v1/completions' };

/** The client pays only in allowed assets, so the first offer names the token of this gateway. */
async function findAsset() {
  const { headers } = await send(fetch, paths.chat, chat);
  const offer = headers.get('X-PAYMENT-REQUIRED');
  return offer === null ? network : JSON.parse(Buffer.from(offer, 'base64')).asset;
}

function send(fetchOrPay, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  return fetchOrPay(gateway + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network, client: new ExactEvmScheme(privateKeyToAccount(key)) }],
  spendControls: {
    allowedAssets: [{ network, asset: await findAsset(), maxAmountPerPayment: '100000' }],
  },
});

async function buyWithTool() {
  const called = await (await send(pay, paths.chat, { model, messages: [asked], tools })).json();
  const { message } = called.choices[0];
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"status":"shipped"}' };
  return send(pay, paths.chat, { model, messages: [asked, message, result], tools });
}

const plays = {
  'pay-text': () => send(pay, paths.text, { model, prompt: question }),
  'pay-tools': buyWithTool,
  'error-400': () => send(pay, paths.chat, { ...chat, temperature: 3 }),
  'error-413': () =>
    send(pay, paths.chat, { model, messages: [{ ...asked, content: 'x'.repeat(2_000_000) }] }),
};
const response = await (plays[scenario]?.() ?? send(pay, paths.chat, chat));
const { choices, error } = await response.json();
const receipt = response.headers.get('X-PAYMENT-RESPONSE');
const line = {
  scenario,
  status: response.status,
  code: error?.code ?? null,
  param: error?.param ?? null,
  text: choices === undefined ? null : (choices[0].text ?? choices[0].message.content),
  txHash: receipt === null ? null : JSON.parse(Buffer.from(receipt, 'base64')).txHash,
};
console.log(JSON.stringify(line));
