import { createServer, type RequestListener } from 'node:http';
import { type Change, createIndependentGateway } from '../independent/gateway.ts';
import { useFastSignatures } from './fast-signatures.ts';

useFastSignatures();

export type { Change };

export type Listening = AsyncDisposable & { readonly url: string };

/** The independent gateway on its own port. */
export type FakeTarget = Listening & {
  /** The key of a payer with funds. */
  readonly payerKey: string;
};

/** Starts the independent gateway, with a changed step if given. */
export async function startFakeTarget(change?: Change): Promise<FakeTarget> {
  const { listener, payerKey } = createIndependentGateway(change);
  return { ...(await listenOnLoopback(listener)), payerKey };
}

/** Serves a listener on a free loopback port until it is disposed. */
export async function listenOnLoopback(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      server.closeAllConnections();
      await closed;
    },
  };
}
