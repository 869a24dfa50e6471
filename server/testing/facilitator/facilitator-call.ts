/** The body of `/verify` or `/settle`, parsed by the letter of the x402 specifications. */
export type FacilitatorCall = {
  readonly x402Version: 1 | 2;
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  readonly amount: string;
  readonly domain: { readonly name: string; readonly version: string };
  readonly signature: string;
  readonly authorization: {
    readonly from: string;
    readonly to: string;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: string;
  };
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a body as strictly as real facilitators, so that tests check the wire independently. Every field of a
 * version is required with its type, fields of the other version are rejected, and all six values of an
 * authorization are strings. Returns a sentence for an invalid body.
 */
export function readFacilitatorCall(text: string): FacilitatorCall | string {
  try {
    const call = objectAt(JSON.parse(text) as unknown, 'body', [
      'x402Version',
      'paymentPayload',
      'paymentRequirements',
    ]);
    if (call['x402Version'] === 1) return readV1(call);
    if (call['x402Version'] === 2) return readV2(call);
    return 'x402Version is neither 1 nor 2';
  } catch (cause) {
    return cause instanceof Error ? cause.message : 'the body is not JSON';
  }
}

function readV1(call: Fields): FacilitatorCall {
  const payload = objectAt(call['paymentPayload'], 'paymentPayload', [
    'x402Version',
    'scheme',
    'network',
    'payload',
  ]);
  const terms = objectAt(call['paymentRequirements'], 'paymentRequirements', [
    'scheme',
    'network',
    'maxAmountRequired',
    'resource',
    'description',
    'mimeType',
    'payTo',
    'maxTimeoutSeconds',
    'asset',
    'extra',
  ]);
  mustBe(payload['x402Version'], 1, 'paymentPayload.x402Version');
  mustBe(payload['scheme'], 'exact', 'paymentPayload.scheme');
  mustBe(payload['network'], 'base-sepolia', 'paymentPayload.network');
  mustBe(terms['network'], 'base-sepolia', 'paymentRequirements.network');
  new URL(textAt(terms, 'resource', /./));
  textAt(terms, 'description', /^/);
  textAt(terms, 'mimeType', /^/);
  return { x402Version: 1, amount: textAt(terms, 'maxAmountRequired', amount), ...common(terms, payload) };
}

function readV2(call: Fields): FacilitatorCall {
  const payload = objectAt(call['paymentPayload'], 'paymentPayload', [
    'x402Version',
    'resource',
    'accepted',
    'payload',
  ]);
  const terms = objectAt(call['paymentRequirements'], 'paymentRequirements', [
    'scheme',
    'network',
    'amount',
    'asset',
    'payTo',
    'maxTimeoutSeconds',
    'extra',
  ]);
  mustBe(payload['x402Version'], 2, 'paymentPayload.x402Version');
  mustBe(terms['network'], 'eip155:84532', 'paymentRequirements.network');
  mustBe(JSON.stringify(payload['accepted']), JSON.stringify(terms), 'paymentPayload.accepted');
  const resource = objectAt(payload['resource'], 'resource', ['url', 'description', 'mimeType']);
  new URL(textAt(resource, 'url', /./));
  return { x402Version: 2, amount: textAt(terms, 'amount', amount), ...common(terms, payload) };
}

function common(terms: Fields, payload: Fields): Omit<FacilitatorCall, 'x402Version' | 'amount'> {
  mustBe(terms['scheme'], 'exact', 'paymentRequirements.scheme');
  if (!Number.isInteger(terms['maxTimeoutSeconds'])) throw new Error('maxTimeoutSeconds is not an integer');
  const extra = objectAt(terms['extra'], 'extra', ['name', 'version']);
  const signed = objectAt(payload['payload'], 'payload', ['signature', 'authorization']);
  const authorization = objectAt(signed['authorization'], 'authorization', [
    'from',
    'to',
    'value',
    'validAfter',
    'validBefore',
    'nonce',
  ]);
  return {
    network: textAt(terms, 'network', /./),
    asset: textAt(terms, 'asset', address),
    payTo: textAt(terms, 'payTo', address),
    domain: { name: textAt(extra, 'name', /./), version: textAt(extra, 'version', /./) },
    signature: textAt(signed, 'signature', /^0x[0-9a-f]{128}(1b|1c)$/),
    authorization: {
      from: textAt(authorization, 'from', address),
      to: textAt(authorization, 'to', address),
      value: textAt(authorization, 'value', amount),
      validAfter: textAt(authorization, 'validAfter', amount),
      validBefore: textAt(authorization, 'validBefore', amount),
      nonce: textAt(authorization, 'nonce', /^0x[0-9a-f]{64}$/),
    },
  };
}

const address = /^0x[0-9a-fA-F]{40}$/;
const amount = /^(0|[1-9][0-9]*)$/;

function objectAt(value: unknown, name: string, fields: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null) throw new Error(`${name} is not an object`);
  const found = Object.keys(value).sort().join();
  if (found !== [...fields].sort().join()) throw new Error(`${name} has the fields ${found}`);
  return value as Fields;
}

function textAt(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields[name];
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`${name} is ${String(value)}`);
  return value;
}

function mustBe(value: unknown, expected: unknown, name: string): void {
  if (value !== expected) throw new Error(`${name} is ${String(value)}`);
}
