import { describe, expect, it } from 'vitest';
import { clientNetwork, clientSite, siteOfNetwork } from './client-network.ts';

describe('D-133: the network that the rate limit counts for an address', () => {
  it.each([
    ['the client chooses the last half of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::9'],
    ['an address with zeros left out', '2001:db8::7', '2001:db8:0:0:1::'],
    ['an address in another spelling', '2001:0DB8:0001:0002::1', '2001:db8:1:2::2'],
    ['an address that ends in an IPv4 address', '2001:db8:1:2::1.2.3.4', '2001:db8:1:2::5'],
    ['a link-local address has a zone', 'fe80::1%eth0', 'fe80::2'],
    ['IPv4 in IPv6 is IPv4', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4 in IPv6 in hex', '::ffff:cb00:7107', '203.0.113.7'],
    ['IPv4 in IPv6 without abbreviation', '0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
    ['IPv4 through NAT64', '64:ff9b::203.0.113.7', '203.0.113.7'],
  ])('%s: %s is %s', (_name, one, other) => {
    expect(clientNetwork(one)).toBe(clientNetwork(other));
  });

  it.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:1:2::1', '2001:db8:0:1:2::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['64:ff9b::203.0.113.7', '64:ff9b::203.0.113.8'],
    ['::1', '127.0.0.1'],
  ])('%s and %s are counted apart', (one, other) => {
    expect(clientNetwork(one)).not.toBe(clientNetwork(other));
  });
});

it('D-224: the site of a client is an IPv4 address, or the first 48 bits of an IPv6 address', () => {
  expect(clientSite('2001:db8:1:2::1')).toBe(clientSite('2001:db8:1:ffff::9'));
  expect(clientSite('2001:db8:1:2::1')).not.toBe(clientSite('2001:db8:2:2::1'));
  expect(clientSite('::ffff:203.0.113.7')).toBe(clientSite('203.0.113.7'));
  expect(clientSite('203.0.113.7')).not.toBe(clientSite('203.0.113.8'));
});

it.each(['203.0.113.7', '2001:db8:1:2::1', '::1', '::ffff:203.0.113.7', '2001:db8::', ''])(
  'The site of the network of %o is the site of the address (D-224)',
  (address) => {
    expect(siteOfNetwork(clientNetwork(address))).toBe(clientSite(address));
  },
);
