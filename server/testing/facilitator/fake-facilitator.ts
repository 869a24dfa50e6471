import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Devnet } from '../../devnet/devnet.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import { type FacilitatorCall, readFacilitatorCall } from './facilitator-call.ts';
import { type FacilitatorKey, openFacilitatorKey } from './facilitator-key.ts';

export type FacilitatorPath = 'supported' | 'verify' | 'settle';

/**
 * The conduct of a facilitator at a call. `sound` verifies and settles on the chain. The others settle nothing,
 * except those with `settles` in their name.
 */
export type FacilitatorConduct =
  | 'sound'
  /** `isValid: false` or `success: false`, with `refusal`. */
  | 'refuses'
  /** Never responds. */
  | 'hangs'
  /** HTTP 500. */
  | 'fails'
  /** HTTP 200 without JSON. */
  | 'babbles'
  /** Success, with `lie` as the transaction. */
  | 'lies'
  /** Settles, and returns `success: false` without a transaction. */
  | 'settles-and-denies'
  | 'settles-and-hangs'
  | 'settles-and-fails'
  /** Settles, and names `lie` as the transaction of a success. */
  | 'settles-and-lies'
  /** Settles, and returns `success: false` with `refusal`. */
  | 'settles-and-refuses'
  /** Sends the transaction, does not wait for it, and returns HTTP 500 `settlement_pending` with its hash. */
  | 'pends';

type AskedFacilitator = {
  readonly path: FacilitatorPath;
  readonly authorization: string | null;
  /** Null for `/supported`. */
  readonly body: FacilitatorCall | null;
};

/** For tests: a facilitator that settles on the chain with its own key. A test can set its conduct. */
export type TestFacilitator = {
  readonly url: string;
  /** The account that pays for gas. */
  readonly address: Address;
  /** Decides the conduct of a call; `sound` by default. */
  conduct: (path: FacilitatorPath, call: FacilitatorCall | null) => FacilitatorConduct;
  /** Versions of the protocol that it offers and accepts; both by default. */
  speaks: readonly (1 | 2)[];
  /** The addresses of `/supported`, by network; its own by default. */
  signers: Readonly<Record<string, readonly string[]>>;
  /** The content of a refusal; 200 and `invalid_payload` by default. */
  refusal: { readonly status: number; readonly reason: string; readonly transaction?: string };
  /** The transaction that it names for the conduct `lies`. */
  lie: Bytes32;
  /** The required `Authorization` header; null for none. */
  wants: string | null;
  /** All calls, in the order of their arrival. */
  readonly asked: AskedFacilitator[];
  /** Transactions that the facilitator sent. */
  readonly sent: Bytes32[];
  close(): Promise<void>;
};

/** Starts a facilitator on a free port of loopback, under a path as hosted facilitators have. */
export async function startTestFacilitator(
  chain: Pick<Devnet, 'rpcUrl' | 'chainId'>,
): Promise<TestFacilitator> {
  const key = await openFacilitatorKey(chain);
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const facilitator: TestFacilitator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402`,
    address: key.address,
    conduct: () => 'sound',
    speaks: [1, 2],
    signers: { 'eip155:*': [key.address] },
    refusal: { status: 200, reason: 'invalid_payload' },
    lie: `0x${'1e'.repeat(32)}` as Bytes32,
    wants: null,
    asked: [],
    sent: key.sent,
    async close() {
      server.closeAllConnections();
      server.close();
      await key.close();
    },
  };
  return facilitator;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const say = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const path = /^\/x402\/(supported|verify|settle)$/.exec(request.url ?? '')?.[1] as FacilitatorPath;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (path === undefined || request.method !== (path === 'supported' ? 'GET' : 'POST'))
      return say(404, { error: 'no such path' });
    const authorization = request.headers.authorization ?? null;
    const call = path === 'supported' ? null : readFacilitatorCall(Buffer.concat(chunks).toString());
    if (typeof call === 'string') return say(400, { isValid: false, success: false, error: call });
    facilitator.asked.push({ path, authorization, body: call });
    if (authorization !== facilitator.wants) return say(401, { error: 'unauthorized' });
    if (call && !facilitator.speaks.includes(call.x402Version))
      return say(400, { ...buildRefusal(path, 'invalid_x402_version') });
    const conduct = facilitator.conduct(path, call);
    switch (conduct) {
      case 'hangs':
        return;
      case 'fails':
        return say(500, { error: 'Internal Server Error' });
      case 'babbles':
        response.writeHead(200).end('<html>Welcome</html>');
        return;
      case 'settles-and-refuses':
      case 'refuses':
        if (conduct !== 'refuses') await settle(key, call);
        return say(facilitator.refusal.status, {
          ...buildRefusal(path, facilitator.refusal.reason),
          ...(facilitator.refusal.transaction && { transaction: facilitator.refusal.transaction }),
        });
      case 'settles-and-lies':
      case 'lies':
        if (conduct !== 'lies') await settle(key, call);
        return say(
          200,
          call ? { ...buildSuccess(path, call), transaction: facilitator.lie } : { kinds: 'all' },
        );
      case 'settles-and-denies':
        await settle(key, call);
        return say(200, buildRefusal(path, 'unexpected_settle_error'));
      case 'settles-and-hangs':
        await settle(key, call);
        return;
      case 'settles-and-fails':
        await settle(key, call);
        return say(500, { error: 'Internal Server Error' });
      case 'pends': {
        const transaction = call && (await key.send(call));
        return say(500, { ...buildRefusal(path, 'settlement_pending'), transaction });
      }
      case 'sound':
        return beSound(path, call, say);
    }
  }

  async function beSound(
    path: FacilitatorPath,
    call: FacilitatorCall | null,
    say: (status: number, body: object) => void,
  ): Promise<void> {
    if (call === null)
      return say(200, { kinds: listKinds(facilitator.speaks), extensions: [], signers: facilitator.signers });
    const fault = await key.verify(call);
    if (fault !== null) return say(200, buildRefusal(path, fault));
    if (path === 'verify') return say(200, buildSuccess(path, call));
    const settled = await settle(key, call);
    return say(
      200,
      settled.isMined
        ? { ...buildSuccess(path, call), transaction: settled.transaction }
        : { ...buildRefusal(path, 'invalid_transaction_state'), transaction: settled.transaction },
    );
  }
}

async function settle(
  key: FacilitatorKey,
  call: FacilitatorCall | null,
): Promise<{ readonly transaction: Bytes32; readonly isMined: boolean }> {
  if (call === null) throw new Error('a call of /supported cannot settle');
  const transaction = await key.send(call);
  return { transaction, isMined: await key.waitFor(transaction) };
}

function buildSuccess(path: FacilitatorPath, { authorization, network }: FacilitatorCall): object {
  const payer = authorization.from;
  return path === 'verify' ? { isValid: true, payer } : { success: true, network, payer };
}

function buildRefusal(path: FacilitatorPath, reason: string): object {
  return path === 'verify'
    ? { isValid: false, invalidReason: reason }
    : { success: false, errorReason: reason, transaction: '', network: '' };
}

/** Lists kinds as a facilitator with other offers does. */
function listKinds(versions: readonly (1 | 2)[]): readonly object[] {
  return [
    { x402Version: 2, scheme: 'upto', network: 'eip155:84532' },
    { x402Version: 2, scheme: 'exact', network: 'eip155:8453' },
    { x402Version: 1, scheme: 'exact', network: 'base' },
    ...versions.map((version) => ({
      x402Version: version,
      scheme: 'exact',
      network: version === 1 ? 'base-sepolia' : 'eip155:84532',
    })),
  ];
}
