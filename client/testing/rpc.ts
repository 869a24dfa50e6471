import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AbiCoder, id } from 'ethers';

export type TestRpc = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

/** A fake chain with one token, enough for the wallet command. */
export async function startTestRpc(chainId: number, balance: bigint): Promise<TestRpc> {
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
    const result =
      method === 'eth_chainId' ? `0x${chainId.toString(16)}` : calls[params[0]?.data?.slice(0, 10)];
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
