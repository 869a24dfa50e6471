import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { flattenSettings } from './advanced.ts';
import { presentSettings, settingsAsYaml } from './print.ts';
import { type Config, configSchema } from './schema.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const settings = {
  publicBaseUrl: 'https://pay.example/gateway-of-2026-and-more',
  chain: {
    rpcUrl: 'https://node.example, http://127.0.0.1:1',
    asset: address('22'),
    tokenName: '1e3',
    payTo: address('33'),
  },
  facilitator: { url: 'https://facilitator.example/x402', x402Version: 2 },
  proofLedger: { rpcUrl: 'http://127.0.0.1:2', chainId: 31_740, contract: address('44') },
  corsAllowOrigin: null,
  bodyBytesMax: 2_048,
  payerRateLimit: null,
};

function readAgain(yaml: string): Config {
  const { settings: flat, faults } = flattenSettings(parse(yaml) as object);
  expect(faults).toEqual([]);
  return configSchema.parse(flat);
}

describe('--print-config (D-190)', () => {
  it.each([
    ['defaults', {}],
    ['a real chain', settings],
  ])('prints YAML that is a valid settings file: %s', (_name, given) => {
    const config = configSchema.parse(given);
    expect(readAgain(settingsAsYaml(config))).toEqual(config);
  });

  it('prints public settings first, and all others under `advanced`', () => {
    const printed = presentSettings(configSchema.parse(settings));
    expect(Object.keys(printed).at(0)).toBe('host');
    expect(Object.keys(printed).at(-1)).toBe('advanced');
    expect(printed).toMatchObject({ port: 8_402, advanced: { bodyBytesMax: 2_048, toolsMax: 128 } });
    expect(printed).not.toHaveProperty('toolsMax');
  });

  it('prints no key of a URL, and the file is still valid', () => {
    const { chain, facilitator, proofLedger } = settings;
    const config = configSchema.parse({
      ...settings,
      chain: {
        ...chain,
        rpcUrl: ['https://u:s3cret@node.example/v2/s3cret-s3cret', 'http://127.0.0.1:1/?k=s3cret'],
      },
      facilitator: { ...facilitator, url: 'https://s3cret@facilitator.example' },
      proofLedger: { ...proofLedger, rpcUrl: 'https://ledger.example/s3cret-s3cret' },
    });
    const yaml = settingsAsYaml(config);
    expect(yaml).not.toContain('s3cret');
    expect(readAgain(yaml).chain?.rpcUrl).toEqual([
      'https://***:***@node.example/v2/***',
      'http://127.0.0.1:1/?k=***',
    ]);
    expect(readAgain(yaml).publicBaseUrl).toBe(settings.publicBaseUrl);
  });
});
