// The official x402 middleware with its own facilitator in the same process, on Express or Hono. The benchmark
// starts it as `node official.mjs express '<json>'`, with the relayer's key in RELAYER_KEY. It prints its URL.
import { serve } from '@hono/node-server';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server';
import * as onExpress from '@x402/express';
import * as onHono from '@x402/hono';
import express from 'express';
import { Hono } from 'hono';
import { createWalletClient, defineChain, http, nonceManager, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const [framework, json] = process.argv.slice(2);
const { rpcUrl, chainId, payTo, asset, tokenName, tokenVersion, price, path, completion, upstream } =
  JSON.parse(json);
const network = `eip155:${chainId}`;
const chain = defineChain({
  id: chainId,
  name: 'devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
});
const account = privateKeyToAccount(process.env.RELAYER_KEY, { nonceManager });
const wallet = createWalletClient({ account, chain, transport: http(rpcUrl), pollingInterval: 10 });
const signer = toFacilitatorEvmSigner({ ...wallet.extend(publicActions), address: account.address });
const facilitator = new x402Facilitator().register([network], new FacilitatorScheme(signer));
const client = {
  verify: (payload, requirements) => facilitator.verify(payload, requirements),
  settle: (payload, requirements) => facilitator.settle(payload, requirements),
  getSupported: async () => facilitator.getSupported(),
};
const routes = {
  [`POST ${path}`]: {
    accepts: {
      scheme: 'exact',
      network,
      payTo,
      maxTimeoutSeconds: 300,
      price: { amount: price, asset, extra: { name: tokenName, version: tokenVersion } },
    },
    description: 'Chat completion',
    mimeType: 'application/json',
  },
};

if (framework === 'express') {
  const server = new onExpress.x402ResourceServer(client).register(network, new ServerScheme());
  const app = express();
  app.use(express.json());
  app.use(onExpress.paymentMiddleware(routes, server));
  app.post(path, async (request, response) => {
    response.json(await complete(request.body));
  });
  const listening = app.listen(0, '127.0.0.1', () => announce(listening.address().port));
} else {
  const server = new onHono.x402ResourceServer(client).register(network, new ServerScheme());
  const app = new Hono();
  app.use(onHono.paymentMiddleware(routes, server));
  app.post(path, async (context) => {
    return context.json(await complete(await context.req.json()));
  });
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => announce(port));
}

async function complete(body) {
  if (upstream === undefined) return completion;
  const response = await fetch(`${upstream}/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

function announce(port) {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
}
