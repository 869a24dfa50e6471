import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endpoints } from '@paid-inference/contract/constants';
import { systemClock } from '../clock.ts';
import { noSigner } from '../no-signer.ts';
import { createPayer, type PayerOptions, unwrapResponse } from '../pay.ts';
import type { Journal } from '../payment/journal.ts';
import { errorResponse, errors, type ProxyError, translateResponse, unreached } from './error.ts';
import { findRefusal } from './guard.ts';
import * as limits from './limits.ts';
import { type OrderDefaults, readOrder } from './order.ts';
import { type PurchasePorts, startPurchase } from './purchase.ts';
import { createPurchases } from './purchases.ts';
import { record } from './recording.ts';
import { createSpending, type Spending } from './spending.ts';
import { readBody, whileOpen, write } from './tool-connection.ts';

export type ProxyOptions = Omit<PayerOptions, 'journal' | 'onStep' | 'onExchange'> & {
  /** The URL of the gateway, without `/v1`. */
  readonly upstream: string;
  /** Tools send it as their API key. */
  readonly accessToken: string;
  readonly journal: Journal;
  readonly defaults?: OrderDefaults;
  /** 0 takes a free port. */
  readonly port: number;
  /** Gets a line for each purchase. The texts of the gateway in it are foreign. */
  readonly say: (line: string) => void;
};

export type PayingProxy = {
  /** The base URL for tools. */
  readonly url: string;
  readonly spending: Spending;
  /** Ends all purchases. The journal keeps their payments for equal requests after the next start. */
  close(): Promise<void>;
};

const paidPaths: ReadonlySet<string> = new Set([
  endpoints.createChatCompletion.path,
  endpoints.createCompletion.path,
]);
const modelsPath = endpoints.listModels.path;

/**
 * Serves OpenAI's API on this machine, for tools that take a base URL (D-291). Pays the gateway within the rules, and
 * serves only requests with the access token (D-292). Rejects when the port is in use.
 */
export async function startProxy(options: ProxyOptions): Promise<PayingProxy> {
  const { upstream, journal, rules, clock = systemClock, say, defaults = {} } = options;
  const ending = new AbortController();
  const ports: PurchasePorts = { ...options, clock, signal: ending.signal };
  const spending = createSpending(journal, rules, say);
  const purchases = createPurchases((order) => startPurchase(order, ports, spending.report(order.model)), {
    clock,
    signal: ending.signal,
    say,
  });
  const asking = createPayer({ ...options, ...noSigner });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers, url = '', method = '' } = incoming;
    const refusal = findRefusal(headers, options.accessToken);
    if (refusal !== null) return fail(outgoing, refusal);
    const pathname = URL.parse(url, 'http://localhost')?.pathname ?? '';
    const isPaid = paidPaths.has(pathname);
    if (!isPaid && pathname !== modelsPath && !pathname.startsWith(`${modelsPath}/`))
      return fail(outgoing, errors.notFound);
    if (method !== (isPaid ? 'POST' : 'GET')) return fail(outgoing, errors.wrongMethod);
    if (!isPaid) return write(outgoing, record(await ask(pathname)));
    const body = await readBody(incoming);
    if (body === null) {
      outgoing.shouldKeepAlive = false;
      return fail(outgoing, errors.tooLarge);
    }
    const order = readOrder(upstream + pathname, headers, body, defaults);
    const purchase = await purchases.open(order);
    if (purchase === null) return fail(outgoing, errors.tooMany);
    try {
      await write(outgoing, await whileOpen(outgoing, purchase.recording));
      purchases.deliver(purchase);
    } catch {
      purchases.leave(order, purchase);
    }
  }

  async function ask(pathname: string): Promise<Response> {
    try {
      const exchange = await asking.ask(upstream + pathname, { signal: ending.signal });
      return await translateResponse(unwrapResponse(exchange));
    } catch {
      return unreached('No response of the gateway.');
    }
  }

  const server = createServer(
    { requestTimeout: limits.requestMsMax, headersTimeout: limits.headersMsMax },
    (incoming, outgoing) => {
      serve(incoming, outgoing).catch(() => outgoing.destroy());
    },
  );
  server.maxConnections = limits.connectionsMax;
  server.setTimeout(limits.toolIdleMsMax);
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    spending,
    async close() {
      ending.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function fail(outgoing: ServerResponse, error: ProxyError): Promise<void> {
  return write(outgoing, record(errorResponse(error)));
}
