import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { chainId, mimeType, network, scheme, tokenDomainVersion } from '@paid-inference/contract/constants';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpRpc } from '../../chain/http-rpc.ts';
import { startDevnet } from '../../devnet/devnet.ts';
import { paymentFor } from '../payer.ts';
import { sendAsThirdParty } from './send-as-third-party.ts';

type Call = { readonly id: number; readonly method: string };

/** Longer than ethers uses a response of the node again. */
const slowMs = 300;

/** A node under load: it takes long to accept a transaction, and shows the first receipt too late. */
async function startBusyNode(nodeUrl: string): Promise<string> {
  let receipts = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answered = await fetch(nodeUrl, { method: 'POST', headers: json, body });
    const all = [JSON.parse(body)].flat() as readonly Call[];
    if (all.some(({ method }) => method === 'eth_sendRawTransaction')) await after(slowMs);
    const isReceipt = all.some(({ method }) => method === 'eth_getTransactionReceipt');
    const isHidden = isReceipt && receipts++ === 0;
    const nothing = JSON.stringify({ jsonrpc: '2.0', id: all[0]?.id, result: null });
    response.end(isHidden ? nothing : await answered.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = { 'content-type': 'application/json' };

it('sends as a third party on a chain that makes no further block', async () => {
  const devnet = await startDevnet({ chainId });
  onTestFinished(() => devnet.stop());
  const rpcUrl = await startBusyNode(devnet.rpcUrl);
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  onTestFinished(() => rpc.close());
  const { payTo, token, payer } = devnet;
  const offer = {
    scheme,
    network,
    maxAmountRequired: '1000',
    resource: 'http://127.0.0.1/v1/chat/completions',
    description: 'a completion',
    mimeType,
    payTo,
    maxTimeoutSeconds: 300,
    asset: token.address,
    extra: { name: token.name, version: tokenDomainVersion },
  } as const;
  const header = await paymentFor(offer, payer.privateKey);
  const hash = await sendAsThirdParty({ devnet: { ...devnet, rpcUrl }, rpc }, header);
  expect(await rpc.call('eth_getTransactionReceipt', [hash])).toMatchObject({ value: { status: '0x1' } });
});
