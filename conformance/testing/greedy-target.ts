import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { verifyTypedData } from 'ethers';
import { isObject } from '../independent/body-rules.ts';
import { catalogModel, type Json } from '../independent/steps.ts';
import { useFastSignatures } from './fast-signatures.ts';

useFastSignatures();

/** The facts that a greedy target has for its response. */
export type Asked = {
  /** Index of this request among those to the paid endpoints, from 0. */
  readonly at: number;
  /**
   * Whether the request has a payment with a valid signature of the payer. Other payments have no value for the
   * target.
   */
  readonly isPaid: boolean;
  readonly url: string;
  readonly offer: (change?: Json) => string;
  readonly response: ServerResponse;
};

/** Answers one request to a paid endpoint, or leaves it open. */
export type Trick = (asked: Asked) => void;

export type GreedyTarget = AsyncDisposable & {
  readonly url: string;
  /** Values of the payer's valid signatures by nonce: the amounts that the target could settle. */
  readonly taken: ReadonlyMap<string, bigint>;
  readonly requests: () => number;
};

const assets = [`0x${'2a'.repeat(20)}`, `0x${'2b'.repeat(20)}`] as const;
export const otherAsset = assets[1];
const domain = { name: 'Token', version: '1', chainId: 84_532 };
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** A target that tries to get more than agreed, and counts the payments that it could settle. */
export async function startGreedyTarget(payer: string, trick: Trick): Promise<GreedyTarget> {
  const taken = new Map<string, bigint>();
  let [requests, asked] = [0, 0];
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    const payments = signedBy(payer, request.headers['x-payment']);
    for (const [nonce, value] of payments) taken.set(nonce, value);
    request.on('end', () => {
      if (request.url === '/v1/models')
        return void response.end(JSON.stringify({ data: [{ id: catalogModel }] }));
      trick({
        at: asked,
        isPaid: payments.length > 0,
        url: readUrl(request),
        offer: (change) => offerFor(request, change),
        response,
      });
      asked += 1;
    });
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the greedy target has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function readUrl(request: IncomingMessage): string {
  return `http://${request.headers.host}${request.url}`;
}

function offerFor(request: IncomingMessage, change: Json = {}): string {
  const offer = {
    scheme: 'exact',
    network: 'eip155:84532',
    maxAmountRequired: '1000',
    resource: readUrl(request),
    description: 'Anything',
    mimeType: 'application/json',
    payTo: `0x${'1b'.repeat(20)}`,
    maxTimeoutSeconds: 300,
    asset: assets[0],
    extra: { name: domain.name, version: domain.version },
    ...change,
  };
  return Buffer.from(JSON.stringify(offer)).toString('base64');
}

/** Nonce and value of the authorization in a header, if the payer signed it for an offered token. */
function signedBy(
  payer: string,
  header: string | string[] | undefined,
): readonly (readonly [string, bigint])[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(String(header), 'base64').toString('utf8'));
    const payload = isObject(decoded) ? decoded['payload'] : undefined;
    if (!isObject(payload) || !isObject(payload['authorization'])) return [];
    const { nonce, value, from, to, ...window } = payload['authorization'];
    const message = {
      ...window,
      nonce,
      value,
      from: String(from).toLowerCase(),
      to: String(to).toLowerCase(),
    };
    const isSigned = assets.some((verifyingContract) => {
      const signer = verifyTypedData(
        { ...domain, verifyingContract },
        types,
        message,
        String(payload['signature']),
      );
      return signer.toLowerCase() === payer.toLowerCase();
    });
    return isSigned ? [[String(nonce), BigInt(String(value))]] : [];
  } catch {
    return [];
  }
}
