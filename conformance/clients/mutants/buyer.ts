import { readFileSync } from 'node:fs';
import { chainId, network, primaryType } from '@paid-inference/contract/constants';
import { hexlify, randomBytes, Wallet } from 'ethers';
import { type Offer, readOffer } from '../../payment/offer.ts';
import { fields } from '../../payment/sign.ts';
import { decodeJson, encodeBase64Json, isObject, member } from '../../wire/base64-json.ts';
import { type Buyer, model, type Purchase, payTo, priceMaxUnits } from '../purchase.ts';
import { type Draft, type Failure, type Habits, refusals, validitySecondsMax } from './habits.ts';
import { readStream } from './read-stream.ts';

export type BuyerPorts = {
  readonly nowSeconds: () => number;
  readonly waitSeconds: (seconds: number) => Promise<unknown>;
};

const attemptsMax = 4;
const path = '/v1/chat/completions';
const exits = { done: 0, refused: 1, unknown: 3 } as const;

/** A minimal client with the given habits. It buys one chat completion and ends with an exit code. */
export function createBuyer(habits: Habits, ports: BuyerPorts): Buyer {
  return async (purchase) => {
    const output: string[] = [];
    const exitCode = await buy(habits, ports, purchase, (line) => output.push(line));
    return { exitCode, isOverdue: false, output: output.join('\n') };
  };
}

async function buy(
  habits: Habits,
  ports: BuyerPorts,
  purchase: Purchase,
  say: (line: string) => void,
): Promise<number> {
  const firstUrl = purchase.gatewayUrl + path;
  const wallet = new Wallet(readFileSync(purchase.keyFile, 'utf8').trim());
  const body = describeRequest(purchase);
  const asked = await send(firstUrl, body, undefined, habits);
  const url = 'url' in asked ? asked.url : firstUrl;
  const rules = { priceMax: priceMaxUnits, token: purchase.token, payTo, network, resource: url };
  let offer = 'offer' in asked ? asked.offer : undefined;
  if (habits.paysUnasked && offer === undefined) offer = inventOffer(purchase, url);
  else if (asked.kind === 'served') return exits.done;
  if (offer === undefined || habits.paysNothing) return exits.refused;

  let header: string | undefined;
  let firstId: unknown;
  let attempts = 0;
  while (attempts < attemptsMax) {
    attempts += 1;
    if (header === undefined) {
      const checks = attempts === 1 || habits.checksLaterOffers ? habits.refuses : [];
      const reason = checks.find((each) => offer !== undefined && refusals[each](offer, rules));
      if (reason !== undefined) {
        say(`refused because of the ${reason}`);
        return exits.refused;
      }
      header = await sign(wallet, offer, habits, ports.nowSeconds());
    }
    const sent = await send(url, body, header, habits);
    const streamId = 'streamId' in sent ? sent.streamId : undefined;
    firstId ??= streamId;
    if (habits.paysForOtherId && streamId !== firstId) {
      header = undefined;
      continue;
    }
    if (sent.kind === 'served') {
      const fault = await findReceiptFault(sent.receipt, header, wallet.address, habits, purchase.rpcUrl);
      if (fault === undefined) return exits.done;
      say(`the receipt is false: ${fault}`);
      if (!habits.paysForReceipt) return exits.unknown;
      header = undefined;
      continue;
    }
    const reaction = habits.react(sent);
    if (reaction === 'end') return exits.unknown;
    if (reaction === 'sign') header = undefined;
    if (sent.kind === 'status' && sent.offer !== undefined) offer = sent.offer;
    await ports.waitSeconds(1);
  }
  return exits.unknown;
}

type Served = { readonly kind: 'served'; readonly streamId?: unknown; readonly receipt: string | null };

function describeRequest({ isStreamed }: Purchase): string {
  const body = { model, messages: [{ role: 'user', content: 'Say pong.' }] };
  return JSON.stringify(isStreamed ? { ...body, stream: true } : body);
}

async function send(
  url: string,
  body: string,
  payment: string | undefined,
  habits: Habits,
): Promise<Served | Failure> {
  const headers = { 'Content-Type': 'application/json', ...(payment && { 'X-PAYMENT': payment }) };
  const signal = AbortSignal.timeout(habits.timeoutMs);
  const followed = payment === undefined ? ['unpaid', 'all'] : ['all'];
  const redirect = followed.includes(habits.followsRedirects) ? 'follow' : 'manual';
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect, signal });
    const receipt = response.headers.get('X-PAYMENT-RESPONSE');
    if (response.headers.get('Content-Type') === 'text/event-stream') {
      const { id: streamId, breakage } = await readStream(response, signal);
      return breakage === undefined || habits.trustedStreams.includes(breakage)
        ? { kind: 'served', streamId, receipt }
        : { kind: 'broken-stream', streamId, breakage };
    }
    const isCompletion = decodeJson(Buffer.from(await response.text())).ok;
    if (response.ok && isCompletion) return { kind: 'served', receipt };
    const offer = decodeOffer(response.headers.get('X-PAYMENT-REQUIRED'));
    return { kind: 'status', status: response.status, offer, url: response.url };
  } catch {
    return { kind: 'broken', isTimeout: signal.aborted };
  }
}

function decodeOffer(text: string | null): Offer | undefined {
  const decoded = decodeJson(Buffer.from(text ?? '', 'base64'));
  if (!decoded.ok || !isObject(decoded.value)) return undefined;
  const offer = readOffer(decoded.value);
  return offer.ok ? offer.value : undefined;
}

async function sign(wallet: Wallet, offer: Offer, habits: Habits, nowSeconds: number): Promise<string> {
  const lawful: Draft = {
    value: offer.maxAmountRequired,
    validBefore: nowSeconds + Math.min(offer.maxTimeoutSeconds, validitySecondsMax),
    nonce: hexlify(randomBytes(32)),
    domainVersion: offer.domainVersion,
  };
  const { value, validBefore, nonce, domainVersion: version } = habits.draft(lawful, offer);
  const authorization = {
    from: wallet.address,
    to: offer.payTo,
    value: value.toString(),
    validAfter: 0,
    validBefore,
    nonce,
  };
  const signature = await wallet.signTypedData(
    {
      name: offer.domainName,
      version,
      chainId: BigInt(offer.network.replace(/^eip155:/, '')),
      verifyingContract: offer.asset,
    },
    { [primaryType]: [...fields] },
    authorization,
  );
  return encodeBase64Json({ payload: { signature, authorization } });
}

/** The first fault of a receipt that the buyer looks for. */
async function findReceiptFault(
  text: string | null,
  header: string,
  payer: string,
  { checks }: Habits,
  rpcUrl: string,
): Promise<string | undefined> {
  const read = decodeJson(Buffer.from(text ?? '', 'base64'));
  const receipt = read.ok ? read.value : undefined;
  const said = (name: string) => member(receipt, name);
  const faults = {
    presence: () => receipt === undefined,
    success: () => receipt !== undefined && said('success') !== true,
    payer: () => receipt !== undefined && String(said('payer')).toLowerCase() !== payer.toLowerCase(),
    chain: () => receipt !== undefined && said('chainId') !== chainId,
    transaction: async () =>
      receipt !== undefined && !(await isMined(rpcUrl, String(said('txHash')), header)),
  };
  for (const check of checks) if (await faults[check]()) return check;
  return undefined;
}

/** Whether a transaction used the nonce of the payment (the event `AuthorizationUsed` of EIP-3009). */
async function isMined(rpcUrl: string, hash: string, header: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] });
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const { result } = JSON.parse(await response.text()) as {
    readonly result?: { readonly logs: readonly { readonly topics: readonly string[] }[] } | null;
  };
  const payment: { payload: { authorization: { nonce: string } } } = JSON.parse(atob(header));
  const { nonce } = payment.payload.authorization;
  return result?.logs.some(({ topics }) => topics.includes(nonce)) ?? false;
}

function inventOffer({ token }: Purchase, resource: string): Offer {
  return {
    scheme: 'exact',
    network,
    maxAmountRequired: priceMaxUnits,
    resource,
    payTo,
    asset: token,
    maxTimeoutSeconds: 60,
    domainName: 'Devnet Dollar',
    domainVersion: '1',
  };
}
