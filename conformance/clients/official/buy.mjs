import { readFileSync } from 'node:fs';
import process from 'node:process';

// Buys one chat completion with the client that the argument names, within the limits that the client can keep. Ends
// with an error if the client reports a false receipt.

const {
  CONFORMANCE_URL: url,
  CONFORMANCE_KEY_FILE: keyFile,
  CONFORMANCE_MODEL: model,
  CONFORMANCE_PRICE_MAX: priceMax,
  CONFORMANCE_TOKEN: asset,
  CONFORMANCE_PAY_TO: payTo,
  CONFORMANCE_NETWORK: network,
  CONFORMANCE_STREAM: stream,
  RESOURCE_HOST: resourceHost,
  JOURNAL: journalFile = `${keyFile}.journal`,
  PROMPT: content = 'Say pong.',
} = process.env;
const key = readFileSync(keyFile, 'utf8').trim();
const body = { model, messages: [{ role: 'user', content }] };
const path = '/v1/chat/completions';

const clients = {
  'x402-fetch': async () => buyWithFetch(await payingFetchV1()),
  'x402-axios': async () => {
    const { default: axios } = await import('axios');
    const { createSigner, withPaymentInterceptor } = await import('x402-axios');
    const signer = await createSigner('base-sepolia', key);
    await withPaymentInterceptor(axios.create({ baseURL: url }), signer).post(path, body);
  },
  '@x402/fetch': async () => buyWithFetch(await payingFetchV2()),
  '@x402/axios': async () => {
    const { default: axios } = await import('axios');
    const { wrapAxiosWithPaymentFromConfig } = await import('@x402/axios');
    await wrapAxiosWithPaymentFromConfig(axios.create({ baseURL: url }), await configV2()).post(path, body);
  },
  thirdweb: async () => {
    const { createThirdwebClient, defineChain } = await import('thirdweb');
    const { createWalletAdapter, privateKeyToAccount } = await import('thirdweb/wallets');
    const { wrapFetchWithPayment } = await import('thirdweb/x402');
    const client = createThirdwebClient({ clientId: 'unused' });
    const adaptedAccount = privateKeyToAccount({ client, privateKey: key });
    const chain = defineChain(Number(network.replace('eip155:', '')));
    const nothing = () => undefined;
    const parts = { client, adaptedAccount, chain, onDisconnect: nothing, switchChain: nothing };
    const options = { maxValue: BigInt(priceMax) };
    await buyWithFetch(wrapFetchWithPayment(fetch, client, createWalletAdapter(parts), options));
  },
  'openai+x402-fetch': async () => buyWithOpenAi(await payingFetchV1()),
  'openai+x402-fetch+plain headers': async () => {
    const pay = await payingFetchV1();
    await buyWithOpenAi((input, init) =>
      pay(input, { ...init, headers: Object.fromEntries(new Headers(init?.headers)) }),
    );
  },
  'openai+@x402/fetch': async () => buyWithOpenAi(await payingFetchV2()),
  'openai+payingFetch': async () => buyWithOpenAi(await payingFetchOfProject()),
  // Started by the local proxy, which sets the base URL and the API key.
  openai: () => buyWithOpenAi(fetch, {}),
};

await clients[process.argv[2]]();

async function payingFetchV1() {
  const { createSigner, wrapFetchWithPayment } = await import('x402-fetch');
  return wrapFetchWithPayment(fetch, await createSigner('base-sepolia', key), BigInt(priceMax));
}

async function payingFetchV2() {
  const { wrapFetchWithPaymentFromConfig } = await import('@x402/fetch');
  return wrapFetchWithPaymentFromConfig(fetch, await configV2());
}

async function payingFetchOfProject() {
  const { payingFetch } = await import('@paid-inference/client/paying-fetch');
  const rules = { amountPerRequestMax: BigInt(priceMax), amountTotalMax: 10_000_000n, assets: [asset] };
  const onStep = ({ step }) => {
    if (step === 'receipt-fault') process.exitCode = 1;
  };
  const resourceHosts = resourceHost === undefined ? [] : [resourceHost];
  return payingFetch({ keyFile, journalFile, rules: { ...rules, payTo: [payTo], resourceHosts }, onStep });
}

async function configV2() {
  const { ExactEvmScheme } = await import('@x402/evm/exact/client');
  const { privateKeyToAccount } = await import('viem/accounts');
  return {
    schemes: [{ network, client: new ExactEvmScheme(privateKeyToAccount(key)) }],
    spendControls: { allowedAssets: [{ network, asset, maxAmountPerPayment: priceMax }] },
  };
}

async function buyWithFetch(pay) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await pay(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  await response.json();
}

async function buyWithOpenAi(pay, options = { baseURL: `${url}/v1`, apiKey: 'unused' }) {
  const { default: OpenAI } = await import('openai');
  const { completions } = new OpenAI({ ...options, fetch: pay }).chat;
  if (stream !== 'true') return completions.create(body);
  for await (const _ of await completions.create({ ...body, stream: true }));
}
