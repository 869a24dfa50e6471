import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints, network, scheme, tokenDomainVersion } from '@paid-inference/contract/constants';
import type { Offer } from '../payment/offer.ts';
import { decodeJson, member } from '../wire/base64-json.ts';
import { tokenName } from './devnet/devnet.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { model, offerValiditySeconds, payTo, priceUnits } from './purchase.ts';
import type { Recorded } from './recording.ts';
import { type Port, redirect, refuse, respondTo, sendCompletion, sendJson, sendOffer } from './respond.ts';
import { serve } from './scenario.ts';
import { isSignedFor, readPayments, type SentPayment } from './wire.ts';

export type Gateway = {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Throws if the suite itself failed, for example its devnet. */
  close(): Promise<void>;
};

const host = '127.0.0.1';
const bodyBytesMax = 1_000_000;
const paidPaths: ReadonlySet<string> = new Set([
  endpoints.createChatCompletion.path,
  endpoints.createCompletion.path,
]);

/** Opens the gateway of a scenario on two free ports of the loopback interface. It records every request. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { scenario, devnet, clock } = options;
  const requests: Recorded[] = [];
  const offers: Offer[] = [];
  const faults: unknown[] = [];
  let accepted = 0;
  const [main, elsewhere] = [createServer(), createServer()];
  const [url, elsewhereUrl] = await Promise.all([listen(main), listen(elsewhere)]);
  const port: Port = { ...options, elsewhereUrl, receipts: [] };

  function makeOffer(path: string, origin = url): Offer {
    const honest = honestOffer(origin + path, devnet.token);
    const offer = scenario.offer?.(honest, accepted) ?? honest;
    offers.push(offer);
    return offer;
  }

  async function handle(request: IncomingMessage, response: ServerResponse, isElsewhere: boolean) {
    const path = new URL(request.url ?? '/', url).pathname;
    const method = request.method ?? '';
    const [payment, ...further] = readPayments(request.headers);
    const offer = offers.at(-1);
    const atSeconds = clock().getTime() / 1000;
    const body = await readBody(request);
    const recorded: Recorded = {
      ...{ atSeconds, method, path, isElsewhere, payment, offer },
      asksForStream: member(body, 'stream') === true,
      reaction: 'no response',
      isAccepted: false,
      isDelivered: false,
    };
    // The gateway reads the first payment. The payer signed the others as well, so the verdict counts them.
    requests.push(recorded, ...further.map((other) => ({ ...recorded, payment: other })));
    if (body === undefined) return;
    const asksForUsage = member(member(body, 'stream_options'), 'include_usage') === true;
    const stream = scenario.isStreamed && recorded.asksForStream ? { asksForUsage } : null;
    const wire = { request, response, recorded, stream };
    if (path === endpoints.listModels.path) {
      return sendJson(wire, 200, { object: 'list', data: [{ id: model, object: 'model' }] });
    }
    if (!paidPaths.has(path) || method !== 'POST') return refuse(wire, 404, 'not_found');
    if (payment === undefined) {
      if (scenario.isFree) return sendCompletion(wire, port, {});
      if (scenario.redirectsUnpaid && !isElsewhere) return redirect(wire, elsewhereUrl);
      return sendOffer(wire, makeOffer(path, isElsewhere ? elsewhereUrl : url));
    }
    if (payment === 'unreadable') return sendOffer(wire, makeOffer(path), 'invalid_payload');
    if (!offers.some((each) => isSignedFor(each, payment))) return refuse(wire, 401, 'invalid_signature');
    if (!offers.some((each) => meets(payment, each))) {
      return sendOffer(wire, makeOffer(path), 'invalid_payment_requirements');
    }
    const act = scenario.acts?.[accepted] ?? serve;
    accepted += 1;
    recorded.isAccepted = true;
    return respondTo(wire, port, act, payment, () => makeOffer(path));
  }

  const onRequest = (isElsewhere: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, isElsewhere).catch((error: unknown) => {
      faults.push(error);
      response.destroy();
    });
  };
  main.on('request', onRequest(false));
  elsewhere.on('request', onRequest(true));
  return {
    url,
    requests,
    async close() {
      await Promise.all([main, elsewhere].map(closeServer));
      if (faults.length > 0) throw faults[0];
    },
  };
}

function honestOffer(resource: string, asset: string): Offer {
  return {
    scheme,
    network,
    maxAmountRequired: priceUnits,
    resource,
    payTo,
    asset,
    maxTimeoutSeconds: offerValiditySeconds,
    domainName: tokenName,
    domainVersion: tokenDomainVersion,
  };
}

/** Whether a payment has the terms of an offer (§2.9). */
function meets({ authorization }: SentPayment, offer: Offer): boolean {
  const isForPayee = authorization.to === offer.payTo.toLowerCase();
  return isForPayee && authorization.value >= offer.maxAmountRequired;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Reads the JSON of the body; null if the body is no JSON, and undefined if the client went away or the body is too large.
 */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > bodyBytesMax) return undefined;
    }
  } catch {
    return undefined;
  }
  const decoded = decodeJson(Buffer.concat(chunks));
  return decoded.ok ? decoded.value : null;
}
