import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flattenSettings, nestSettings } from './advanced.ts';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';
import { configSchema } from './schema.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-advanced-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, environment: Environment = {}) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return loadConfig(file, environment);
}

function listFaults(yaml: string): readonly string[] {
  const loaded = load(yaml);
  return loaded.ok ? [] : loaded.fault;
}

describe('An advanced setting (D-190)', () => {
  it('stands under `advanced` in the file, and beside the public ones in the program', () => {
    const loaded = load('port: 1\nadvanced: { bodyBytesMax: 2048, addressRateLimit: null }');
    expect(loaded).toMatchObject({
      value: { config: { port: 1, bodyBytesMax: 2_048, addressRateLimit: null } },
    });
    if (loaded.ok) expect(loaded.value.config).not.toHaveProperty('advanced');
  });

  it.each(['advanced:', 'advanced: {}', ''])('is optional: %j', (yaml) => {
    expect(load(yaml)).toEqual(loadConfig(null, {}));
  });

  it('at the top of the file gives one error with the right place', () => {
    expect(listFaults('bodyBytesMax: 2048')).toEqual([
      'bodyBytesMax: is under advanced now. Write advanced: { bodyBytesMax: ... }.',
    ]);
  });

  it('in both places gives one error too', () => {
    expect(listFaults('bodyBytesMax: 2048\nadvanced: { bodyBytesMax: 2048 }')).toHaveLength(1);
  });

  it.each([
    ['bodyBytesMax: 1', 'advanced.bodyBytesMax: is 1; it must be at least 1024'],
    [
      'addressRateLimit: { requestsMax: 0, windowSeconds: 60 }',
      'advanced.addressRateLimit.requestsMax: is 0; it must be at least 1',
    ],
    [
      'addressRateLimit: { requestsMax: 1, windowSeconds: 60, requests: 1 }',
      'advanced.addressRateLimit.requests: there is no such setting; did you mean advanced.addressRateLimit.requestsMax?',
    ],
  ])('that is wrong is named with its place in the file: %s', (yaml, fault) => {
    expect(listFaults(`advanced: { ${yaml} }`)).toEqual([fault]);
  });
});

describe('A public setting (D-190)', () => {
  it('under `advanced` gives one error with the right place', () => {
    expect(listFaults('advanced: { port: 1 }')).toEqual([
      'advanced.port: is not under advanced. Write port: ... at the top of the file.',
    ]);
  });

  it.each([
    ['CORS_ALLOW_ORIGIN', 'https://shop.example', { corsAllowOrigin: 'https://shop.example' }],
    ['CORS_ALLOW_ORIGIN', 'none', { corsAllowOrigin: null }],
    ['FEE_GWEI_MAX', '0.5', { feeGweiMax: 0.5 }],
    ['ACCEPT_THIRD_PARTY_SENDERS', 'true', { acceptThirdPartySenders: true }],
    ['ACCEPT_THIRD_PARTY_SENDERS', 'false', { acceptThirdPartySenders: false }],
  ])('is set by its variable: %s=%s', (name, text, config) => {
    const loaded = load('feeGweiMax: 7\nacceptThirdPartySenders: true\ncorsAllowOrigin: "*"', {
      [name]: text,
    });
    expect(loaded).toMatchObject({ value: { config } });
  });

  it.each([
    ['FEE_GWEI_MAX', '0', 'feeGweiMax (FEE_GWEI_MAX): is 0; it must be more than 0'],
    [
      'FEE_GWEI_MAX',
      '5 gwei',
      'feeGweiMax (FEE_GWEI_MAX): is "5 gwei"; it must be a number, in digits alone',
    ],
    [
      'ACCEPT_THIRD_PARTY_SENDERS',
      'yes',
      'acceptThirdPartySenders (ACCEPT_THIRD_PARTY_SENDERS): is "yes"; it must be true or false',
    ],
    [
      'CORS_ALLOW_ORIGIN',
      'a b',
      'corsAllowOrigin (CORS_ALLOW_ORIGIN): must be `*`, `none`, or one origin as browsers send it, such as https://shop.example: a scheme, a host in small letters, and no path',
    ],
  ])('is rejected with its variable: %s=%s', (name, text, fault) => {
    expect(loadConfig(null, { [name]: text })).toEqual({ ok: false, fault: [fault] });
  });
});

describe('A settings file', () => {
  it('with faults in every place gets all of them at once', () => {
    const faults = listFaults(
      'port: -1\nadminAddress: nohost\nmessagesMax: 0\nprot: 1\nadvanced: { host: "a b", bodyByteMax: 1, toolsMax: 0, rpcLookMs: 5 }',
    );
    expect([...faults].sort()).toEqual([
      expect.stringMatching(/^adminAddress \(ADMIN_ADDRESS\): must be a host and a port/),
      'advanced.bodyByteMax: there is no such setting; did you mean advanced.bodyBytesMax?',
      'advanced.host: is not under advanced. Write host: ... at the top of the file.',
      'advanced.messagesMax: is 0; it must be at least 8',
      'advanced.rpcLookMs: is called rpcProbeMs now. Rename it.',
      'advanced.toolsMax: is 0; it must be at least 4',
      expect.stringMatching(/^host \(HOST\): must be an address/),
      'messagesMax: is under advanced now. Write advanced: { messagesMax: ... }.',
      'port (PORT): is -1; it must be at least 0',
      'prot: there is no such setting; did you mean port?',
    ]);
  });

  it.each(['bodyTimeoutMs', 'headersTimeoutMs', 'responseTimeoutMs'])(
    'that leaves a client less than 100 ms is rejected: %s',
    (name) => {
      expect(listFaults(`advanced: { ${name}: 99 }`)).toEqual([
        `advanced.${name}: is 99; it must be at least 100`,
      ]);
      expect(listFaults(`advanced: { ${name}: 100 }`)).toEqual([]);
    },
  );

  it.each(['5', '[1]', 'text'])('with %s as `advanced` gets the error that it must be a mapping', (value) => {
    expect(listFaults(`advanced: ${value}`)).toEqual(['advanced: must be a mapping of settings']);
  });

  it.each(['toString', 'constructor'])('with the setting %s gets the error that there is none', (name) => {
    expect(listFaults(`${name}: 1`)).toEqual([`${name}: there is no such setting`]);
  });

  it('with a misspelt `advanced` gets the right name', () => {
    expect(listFaults('advanvced: {}')).toEqual([
      'advanvced: there is no such setting; did you mean advanced?',
    ]);
  });

  it('has the same settings after nesting and flattening', () => {
    const config = configSchema.parse({ port: 1, bodyBytesMax: 2_048, payerRateLimit: null });
    const nested = nestSettings(config);
    expect(nested).toMatchObject({ port: 1, advanced: { bodyBytesMax: 2_048, payerRateLimit: null } });
    expect(nested).not.toHaveProperty('bodyBytesMax');
    expect(configSchema.parse(flattenSettings(nested).settings)).toEqual(config);
    expect(nestSettings({ port: 1 })).toEqual({ port: 1 });
  });
});
