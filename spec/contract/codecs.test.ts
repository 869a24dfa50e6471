import {
  decodePaymentObject,
  decodePaymentReceipt,
  decodePaymentRequirements,
  decodeX402V2Offer,
  decodeX402V2Payment,
  encodePaymentObject,
  encodePaymentReceipt,
  encodePaymentRequirements,
  encodeX402V2Offer,
  encodeX402V2Payment,
} from '@paid-inference/contract/headers';
import { EncodedPaymentRequirements } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { offerV2, payment, receipt, requirements } from '../testing/values.ts';

const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');
const decode = decodePaymentRequirements;

describe('a decoded header equals the encoded value', () => {
  it('for requirements, payment, receipt, and the x402 v2 offer and payment', () => {
    expect(decode(encodePaymentRequirements(requirements))).toEqual({ ok: true, value: requirements });
    expect(decodePaymentObject(encodePaymentObject(payment))).toEqual({ ok: true, value: payment });
    expect(decodePaymentReceipt(encodePaymentReceipt(receipt))).toEqual({ ok: true, value: receipt });
    expect(decodeX402V2Offer(encodeX402V2Offer(offerV2))).toEqual({ ok: true, value: offerV2 });
    expect(decodeX402V2Payment(encodeX402V2Payment(payment))).toEqual({ ok: true, value: payment });
  });

  it.each(['Plätze', '猫', '🦊', '\u2028', '"\\'])('for text beyond ASCII: %s', (description) => {
    const value = { ...requirements, description };
    expect(decode(encodePaymentRequirements(value))).toEqual({ ok: true, value });
  });

  it('as standard base64 of compact ASCII JSON, which a reader of Latin-1 also decodes (section 4.4)', () => {
    const text = encodePaymentRequirements({ ...requirements, description: '🦊' });
    const json = Buffer.from(text, 'base64');
    expect(EncodedPaymentRequirements(text)).toBe(true);
    expect(json.every((byte) => byte < 0x80)).toBe(true);
    expect(json.toString('base64'), 'padded').toBe(text);
    expect(json.toString()).not.toMatch(/\n|: /);
  });
});

describe('the decoder accepts every form of base64 that x402 clients send', () => {
  // In this description both alphabets and the padding differ.
  const value = { ...requirements, description: 'a>>>b???🦊x' };
  const standard = base64(JSON.stringify(value));

  it.each([
    ['standard', standard],
    ['without padding', standard.replace(/=+$/, '')],
    ['URL-safe', standard.replaceAll('+', '-').replaceAll('/', '_')],
    ['URL-safe without padding', Buffer.from(JSON.stringify(value)).toString('base64url')],
  ])('%s', (_spelling, text) => {
    expect(decode(text)).toEqual({ ok: true, value });
  });

  it('and the four texts differ', () => {
    expect(standard).toMatch(/^(?=.*\+)(?=.*\/).*=$/);
  });
});

describe('the decoder rejects', () => {
  it.each([
    ['an empty text', ''],
    ['plain JSON', JSON.stringify(requirements)],
    ['a character outside the alphabet', 'e30!'],
    ['white space', 'e3 0='],
    ['an impossible length', 'e30ab'],
    ['padding in the middle', 'e30=e30='],
    ['three padding characters', 'e30==='],
    ['two headers joined by a comma', `${encodePaymentRequirements(requirements)}, e30=`],
  ])('base64: %s', (_fault, text) => {
    expect(decode(text)).toEqual({ ok: false, stage: 'base64', message: 'is not base64', path: '' });
  });

  it.each([
    ['text that is not JSON', base64('payment')],
    ['JSON with trailing data', base64('{} {}')],
    ['a byte that is invalid in UTF-8', base64(Uint8Array.of(0x22, 0xff, 0x22))],
    ['a truncated character', base64(Uint8Array.of(0x22, 0xf0, 0x9f, 0xa6))],
    ['an overlong character', base64(Uint8Array.of(0x22, 0xc0, 0xaf, 0x22))],
    ['half of a surrogate pair', base64(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))],
  ])('JSON: %s', (_fault, text) => {
    expect(decode(text)).toEqual({ ok: false, stage: 'json', message: 'is not base64 of JSON', path: '' });
  });

  it.each(['null', 'true', '1', '"text"', '[]', '[{}]'])('schema: %s is not an object', (json) => {
    for (const decoder of [decode, decodePaymentObject, decodePaymentReceipt, decodeX402V2Payment]) {
      expect(decoder(base64(json))).toMatchObject({ ok: false, stage: 'schema', path: '' });
    }
  });

  it('schema: a nested field, with its path', () => {
    const value = { ...requirements, extra: { name: 'Token', version: 1 } };
    expect(decode(base64(JSON.stringify(value)))).toMatchObject({
      ok: false,
      stage: 'schema',
      path: '/extra/version',
    });
  });
});
