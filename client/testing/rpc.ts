import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AbiCoder, id, toBeHex, zeroPadValue } from 'ethers';
import { testRecipient, testToken } from './gateway.ts';
import { hashTransaction, type Store } from './store.ts';

export type TestRpc = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

/** A fake chain with one token, enough for the wallet command, and with the transactions of a test gateway. */
export async function startTestRpc(
  chainId: number,
  balance: bigint,
  charges: Store['charges'] = [],
): Promise<TestRpc> {
  const encode = (type: string, value: unknown) => AbiCoder.defaultAbiCoder().encode([type], [value]);
  const calls: Record<string, string> = {
    [id('symbol()').slice(0, 10)]: encode('string', 'TPT'),
    [id('decimals()').slice(0, 10)]: encode('uint8', 6),
    [id('balanceOf(address)').slice(0, 10)]: encode('uint256', balance),
  };
  const server = createServer((incoming, response) => {
    // The client may close the connection early.
    text(incoming)
      .then((body) => respond(body, response))
      .catch(() => response.destroy());
  });
  function respond(body: string, response: ServerResponse): void {
    const { id: requestId, method, params } = JSON.parse(body);
    const results: Record<string, () => unknown> = {
      eth_chainId: () => `0x${chainId.toString(16)}`,
      eth_getTransactionReceipt: () => {
        const charge = charges.find(({ nonce }) => hashTransaction(nonce) === params[0]);
        return charge === undefined ? null : receiptOf(charge);
      },
    };
    const result = results[method]?.() ?? calls[params[0]?.data?.slice(0, 10)] ?? null;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: requestId, result }));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The transaction of a charge, with the two events of EIP-3009. */
function receiptOf({ payer, nonce, units }: Store['charges'][number]): object {
  const mined = {
    blockHash: `0x${'0b'.repeat(32)}`,
    blockNumber: '0x1',
    transactionHash: hashTransaction(nonce),
    transactionIndex: '0x0',
  };
  const indexed = (address: string) => zeroPadValue(address, 32);
  const log = (logIndex: string, topics: readonly string[], data: string) => ({
    ...mined,
    ...{ address: testToken, logIndex, topics, data, removed: false },
  });
  return {
    ...mined,
    from: payer,
    to: testToken,
    contractAddress: null,
    cumulativeGasUsed: '0x1',
    effectiveGasPrice: '0x1',
    gasUsed: '0x1',
    logsBloom: `0x${'00'.repeat(256)}`,
    status: '0x1',
    type: '0x2',
    logs: [
      log('0x0', [id('AuthorizationUsed(address,bytes32)'), indexed(payer), nonce], '0x'),
      log(
        '0x1',
        [id('Transfer(address,address,uint256)'), indexed(payer), indexed(testRecipient)],
        toBeHex(units, 32),
      ),
    ],
  };
}
