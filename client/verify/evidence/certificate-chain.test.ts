import { expect, test } from 'vitest';
import { type CertificateRequest, der, fingerprintOf, issue } from '../../testing/certificates.ts';
import { chainFault } from './certificate-chain.ts';

const at = 1_790_000_000;
const days = { from: at - 100, until: at + 100 };
const root = issue({ name: 'root', issuer: null, ...days, authority: {} });

/** The fault of root, middle and leaf, with the middle and the leaf as a test wants them. */
function faultOf(
  middle: Partial<CertificateRequest> = {},
  leaf: Partial<CertificateRequest> = {},
): string | null {
  const issuer = issue({ name: 'middle', issuer: root, ...days, authority: { pathLength: 0 }, ...middle });
  const end = issue({ name: 'leaf', issuer, ...days, ...leaf });
  return chainFault(
    [end, issuer, root].map(({ certificate }) => certificate),
    [fingerprintOf(root)],
    at,
  );
}

test('A chain from leaf to root holds', () => {
  expect(faultOf()).toBeNull();
});

test('Every certificate must be within its days', () => {
  expect(faultOf({}, { until: at - 1 })).toBe('the certificate of leaf expired at 2026-09-21T14:13:19Z');
  expect(faultOf({ until: at - 1 })).toMatch(/^the certificate of middle expired/);
  expect(faultOf({}, { from: at + 1 })).toBe(
    'the certificate of leaf is valid from 2026-09-21T14:13:21Z only',
  );
});

test('An issuer must be allowed to issue, and so far', () => {
  const { authority: _, ...plain } = { authority: {}, name: 'middle', issuer: root, ...days };
  const middle = issue(plain);
  const leaf = issue({ name: 'leaf', issuer: middle, ...days });
  const chain = [leaf, middle, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprintOf(root)], at)).toBe('the certificate of middle may not issue others');

  const near = issue({ name: 'near', issuer: root, ...days, authority: { pathLength: 0 } });
  const far = issue({ name: 'far', issuer: near, ...days, authority: {} });
  const end = issue({ name: 'end', issuer: far, ...days });
  const long = [end, far, near, root].map(({ certificate }) => certificate);
  expect(chainFault(long, [fingerprintOf(root)], at)).toBe(
    'the certificate of near has more issuers below it than it may have',
  );
});

test('A key that is for signatures only has issued nothing', () => {
  const digitalSignature = { oid: '2.5.29.15', isCritical: true, value: der(0x03, Buffer.of(7, 0x80)) };
  expect(faultOf({ extensions: [digitalSignature] })).toBe('the certificate of leaf is not issued by middle');
  const keyCertSign = { ...digitalSignature, value: der(0x03, Buffer.of(2, 0x04)) };
  expect(faultOf({ extensions: [keyCertSign] })).toBeNull();
});

test('A namesake of the issuer has not issued it', () => {
  const impostor = issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const honest = issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const leaf = issue({ name: 'leaf', issuer: impostor, ...days });
  const chain = [leaf, honest, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprintOf(root)], at)).toBe(
    'the certificate of leaf is not issued by middle',
  );
});

test('A root that is not pinned counts for nothing, whatever its name', () => {
  const other = issue({ name: 'root', issuer: null, ...days, authority: {} });
  expect(chainFault([other.certificate], [fingerprintOf(root)], at)).toMatch(
    /^the certificates end in a root that/,
  );
  expect(chainFault([], [fingerprintOf(root)], at)).toBe('there is no certificate');
});

test('A critical extension that nobody here understands is not passed over; another is', () => {
  const unknown = { oid: '1.3.6.1.4.1.99999.1', value: der(0x05) };
  expect(faultOf({}, { extensions: [unknown] })).toBeNull();
  expect(faultOf({}, { extensions: [{ ...unknown, isCritical: true }] })).toBe(
    'the certificate of leaf has a critical extension 1.3.6.1.4.1.99999.1',
  );
  expect(faultOf({}, { extensions: [unknown, unknown] })).toBe('the certificate of leaf cannot be read');
});
