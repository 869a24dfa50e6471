import { describe, expect, it } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { decodePayment } from './decode.ts';

const bytesMax = 8_192;
const authorization = {
  from: `0x${'44'.repeat(20)}`,
  to: `0x${'11'.repeat(20)}`,
  value: '10000',
  validAfter: 0,
  validBefore: 1_900_000_000,
  nonce: `0x${'66'.repeat(32)}`,
};
const signature = `0x${'55'.repeat(64)}1b`;
const ours = { payload: { signature, authorization } };
const asStrings = { ...authorization, validAfter: '0', validBefore: '1900000000' };

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function decode(value: unknown) {
  return decodePayment({ payment: base64(value), paymentSignature: undefined }, bytesMax);
}

/** The contract's payment object with changes in its authorization. */
function decodeWith(change: object) {
  return decode({ payload: { signature, authorization: { ...authorization, ...change } } });
}

function decodeText(payment: string | undefined, paymentSignature?: string) {
  return decodePayment({ payment, paymentSignature }, bytesMax);
}

const asWritten = {
  ok: true,
  value: {
    signature,
    authorization: { ...authorization, value: 10_000n, validAfter: 0n, validBefore: 1_900_000_000n },
    said: {},
  },
};
const invalid = { ok: false, fault: { reason: 'invalid_payload' } };

describe('§2.10, D-20: one payment in three formats', () => {
  it('the contract’s: integers, and nothing beside the payload', () => {
    expect(decode(ours)).toEqual(asWritten);
  });

  it('x402 v1: every number a string, with scheme and network', () => {
    const v1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia' };
    expect(decode({ ...v1, payload: { signature, authorization: asStrings } })).toEqual({
      ok: true,
      value: { ...asWritten.value, said: { scheme: 'exact', network: 'base-sepolia' } },
    });
  });

  it('x402 v2: returns the accepted option, from either header', () => {
    const accepted = {
      scheme: 'exact',
      network: 'eip155:84532',
      amount: '10000',
      asset: '0xaa',
      payTo: '0xbb',
    };
    const v2 = base64({ x402Version: 2, accepted, payload: { signature, authorization: asStrings } });
    const expected = { ok: true, value: { ...asWritten.value, said: accepted } };
    expect(decodeText(undefined, v2)).toEqual(expected);
    expect(decodeText(v2)).toEqual(expected);
  });

  it('ignores unknown fields', () => {
    expect(decode({ ...ours, extensions: {}, resource: { url: 'x' } })).toEqual(asWritten);
    const accepted = { scheme: 'exact', 34: { 34: {} }, extra: { name: 'x' } };
    const { value } = asWritten;
    expect(decode({ ...ours, accepted })).toEqual({
      ok: true,
      value: { ...value, said: { scheme: 'exact' } },
    });
  });

  it.each([0, 3, -1, 1.5, '1', null])('rejects x402Version %j', (x402Version) => {
    expect(decode({ ...ours, x402Version })).toMatchObject(invalid);
  });
});

describe('D-260: payment-identifier', () => {
  const withInfo = (info: unknown) => decode({ ...ours, extensions: { 'payment-identifier': { info } } });

  it.each(['pay_0123456789ab', 'A-'.repeat(64)])('is read: %s', (id) => {
    expect(withInfo({ required: false, id })).toMatchObject({ ok: true, value: { paymentId: id } });
  });

  it.each([{ required: false }, { id: null }, null, undefined, 'text'])('is absent in %j', (info) => {
    expect(withInfo(info)).toEqual(asWritten);
  });

  it.each([undefined, null, 'text', [], { bazaar: {} }, { 'payment-identifier': 1 }])(
    'is absent in the extensions %j',
    (extensions) => {
      expect(decode({ ...ours, extensions })).toEqual(asWritten);
    },
  );

  it.each(['', 'pay_0123456789a', 'x'.repeat(129), 'pay_0123456789äb', 'pay 0123456789ab', 1, {}, []])(
    'is refused as an id: %j',
    (id) => {
      expect(withInfo({ id })).toMatchObject({ ok: false, fault: { reason: 'invalid_payment_identifier' } });
    },
  );
});

describe('The text of the header', () => {
  const standard = base64({ ...ours, note: 'ÿ?ÿ>ÿ?ÿ>' });
  it('is base64: standard or URL-safe, with or without padding', () => {
    const urlSafe = Buffer.from(standard, 'base64').toString('base64url');
    expect(urlSafe).not.toBe(standard.replace(/=+$/, ''));
    for (const text of [standard, standard.replace(/=+$/, ''), urlSafe]) {
      expect(decodeText(text)).toEqual(asWritten);
    }
  });

  it.each([
    ['nothing', ''],
    ['white space', ' '],
    ['no base64', '{"payload":{}}'],
    ['base64 with a space in it', `${standard.slice(0, 8)} ${standard.slice(8)}`],
    ['one extra letter', 'AAAAA'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64')],
    ['half an object', Buffer.from('{"payload":').toString('base64')],
    ['JSON of JSON', base64(JSON.stringify(ours))],
    ['base64 twice', Buffer.from(base64(ours)).toString('base64')],
  ])('%s is no payment', (_name, text) => {
    expect(decodeText(text)).toMatchObject(invalid);
  });

  it.each([[[ours]], ['text'], [5], [null], [true], [{}], [{ payload: null }], [{ payload: [] }]])(
    'base64 of %j is no payment',
    (value) => {
      expect(decode(value)).toMatchObject(invalid);
    },
  );

  it('sent twice in one request is invalid, because Node joins repeated headers with a comma', () => {
    expect(decodeText(`${standard}, ${standard}`)).toMatchObject({
      fault: { reason: 'invalid_payload', message: expect.stringContaining('more than once') },
    });
  });

  it('in both headers is one payment if they are equal, and invalid if they differ', () => {
    expect(decodeText(standard, standard)).toEqual(asWritten);
    expect(decodeText(standard, base64(ours))).toMatchObject(invalid);
    expect(decodeText(standard, '')).toMatchObject(invalid);
  });

  it('is accepted up to the limit of bytes (D-14)', () => {
    const headers = { payment: base64(ours), paymentSignature: undefined };
    expect(decodePayment(headers, headers.payment.length)).toEqual(asWritten);
    expect(decodePayment(headers, headers.payment.length - 1)).toMatchObject(invalid);
  });
});

describe('§2.9: the authorization', () => {
  it('is the same in either case of its hex', () => {
    const hex = {
      from: `0x${'aB'.repeat(20)}`,
      to: `0x${'cD'.repeat(20)}`,
      nonce: `0x${'eF'.repeat(32)}`,
    };
    const lower = Object.fromEntries(Object.entries(hex).map(([name, text]) => [name, text.toLowerCase()]));
    expect(decodeWith(hex)).toMatchObject({ ok: true, value: { authorization: lower } });
  });

  it.each(Object.keys(authorization))('without %s is invalid', (field) => {
    expect(decodeWith({ [field]: undefined })).toMatchObject(invalid);
    expect(decodeWith({ [field]: null })).toMatchObject(invalid);
    expect(decodeWith({ [field]: {} })).toMatchObject(invalid);
  });

  it.each([
    ['a nonce of 31 bytes', { nonce: `0x${'66'.repeat(31)}` }],
    ['a nonce of 33 bytes', { nonce: `0x${'66'.repeat(33)}` }],
    ['a nonce without 0x', { nonce: '66'.repeat(32) }],
    ['a nonce that is not hex', { nonce: `0x${'6g'.repeat(32)}` }],
    ['a payer of 19 bytes', { from: `0x${'44'.repeat(19)}` }],
    ['a recipient that is a name', { to: 'merchant.example' }],
    ['a value that is a number', { value: 10_000 }],
    ['a value in hex', { value: '0x10' }],
    ['a value with a leading zero', { value: '010000' }],
    ['a value with a fraction', { value: '10000.0' }],
    ['a value with an exponent', { value: '1e4' }],
    ['a negative value', { value: '-1' }],
    ['a value with a line break at the end', { value: '10000\n' }],
    ['an empty value', { value: '' }],
    ['a value beyond uint256', { value: (1n << 256n).toString() }],
    ['a negative time', { validAfter: -1 }],
    ['a time with a fraction', { validBefore: 1.5 }],
    ['a time in hex', { validBefore: '0x7fffffff' }],
    ['a time with a leading zero', { validBefore: '01900000000' }],
    ['an empty time', { validAfter: '' }],
    ['a time that is true', { validAfter: true }],
    ['a time beyond uint256', { validBefore: (1n << 256n).toString() }],
    ['a time beyond uint256 as a number', { validBefore: 1e300 }],
  ])('with %s is invalid', (_name, change) => {
    expect(decodeWith(change)).toMatchObject(invalid);
  });

  it('accepts times up to uint256, which are hashed as signed', () => {
    const most = (1n << 256n) - 1n;
    expect(decodeWith({ validBefore: most.toString(), value: most.toString() })).toMatchObject({
      ok: true,
      value: { authorization: { validBefore: most, value: most } },
    });
  });

  it('keeps the signature as sent: an invalid one returns 401 later (D-04)', () => {
    for (const sent of ['', 'no hex', '0x', `0X${'AB'.repeat(65)}`]) {
      expect(decode({ payload: { signature: sent, authorization } })).toMatchObject({
        ok: true,
        value: { signature: sent },
      });
    }
    expect(decode({ payload: { signature: 5, authorization } })).toMatchObject(invalid);
  });

  it('names the place of a fault, and never the value', () => {
    const decoded = decodeWith({ nonce: '0xsecret' });
    expect(decoded).toMatchObject({
      fault: { message: expect.stringContaining('/payload/authorization/nonce') },
    });
    expect(JSON.stringify(decoded)).not.toContain('secret');
  });
});

describe('For any bytes', () => {
  const seed = testSeed();
  it(`returns a value and never throws (seed ${seed})`, () => {
    const random = randomValues(seed);
    const whole = JSON.stringify(ours);
    for (let round = 0; round < 500; round++) {
      const noise = random.bytes(random.below(200));
      expect(decodeText(noise.toString('base64')).ok).toBe(false);
      expect(decodeText(noise.toString('latin1')).ok).toBe(false);
      // With one byte of a real payment changed the result is a payment or a fault, never an exception.
      const bytes = Buffer.from(whole);
      bytes[random.below(bytes.length)] = random.below(256);
      expect(typeof decodeText(bytes.toString('base64')).ok).toBe('boolean');
      expect(decodeText(Buffer.from(whole.slice(0, random.below(whole.length))).toString('base64')).ok).toBe(
        false,
      );
    }
  });
});
