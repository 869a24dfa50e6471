import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AttestationSettings, attestation } from '../config/attestation.ts';
import type { Log } from '../observe/log.ts';
import {
  type FakeResponse,
  type FakeServer,
  fakePort,
  fakeSocket,
  type SeenCall,
} from '../testing/attestation/fake-server.ts';
import { keccak, otherData, testKey, testLedger } from '../testing/attestation/key.ts';
import { nitridingParts, nitroDocument } from '../testing/attestation/nitro-document.ts';
import { tdxQuote } from '../testing/attestation/reports.ts';
import { hardenedClaims, token } from '../testing/attestation/token.ts';
import { manualClock } from '../types/clock.ts';
import { openAttester, reportAttester } from './open-attester.ts';

const servers: FakeServer[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-attester-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true });
});

function started<T extends FakeServer>(server: T): T {
  servers.push(server);
  return server;
}

/** Opens an attester on a machine that has only the interfaces in the settings. */
async function open(settings: Partial<AttestationSettings>) {
  const lines: Array<{ level: string; fields: object; text: string }> = [];
  const logAt = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text });
  const log = { info: logAt('info'), warn: logAt('warn'), error: logAt('error'), debug: logAt('debug') };
  const nowhere = (name: string) => join(folder, name);
  const opened = await openAttester({
    settings: attestation.parse({
      tsmFolder: nowhere('report'),
      dstackSocket: nowhere('dstack.sock'),
      confidentialSpaceSocket: nowhere('teeserver.sock'),
      nitridingInternalUrl: 'http://127.0.0.1:1',
      nitridingPublicUrl: 'http://127.0.0.1:1',
      nsmDevice: nowhere('nsm'),
      timeoutMs: 2_000,
      ...settings,
    }),
    enclaveKey: testKey(),
    ledger: testLedger,
    proofStore: { findSigner: async () => null },
    keccak,
    clock: manualClock(1_700_000_000),
    log: log as unknown as Log,
  });
  // The gateway does the same after its start.
  if (opened.ok) reportAttester(opened.value, log as unknown as Log);
  return { opened, lines };
}

const dstack = (reportData: (call: SeenCall) => Uint8Array) =>
  fakeSocket((call) => ({
    text: JSON.stringify({ quote: Buffer.from(tdxQuote(reportData(call))).toString('hex') }),
  }));
const readReportData = ({ body }: SeenCall) =>
  Buffer.from((JSON.parse(body) as { report_data: string }).report_data, 'hex');
const launcher = () =>
  fakeSocket(({ body }): FakeResponse => {
    const { nonces } = JSON.parse(body) as { nonces: string[] };
    return { text: token({ ...hardenedClaims, eat_nonce: nonces }) };
  });

describe('D-75: with `auto`', () => {
  it('uses software on a machine without hardware, and warns that this is no TEE', async () => {
    const { opened, lines } = await open({});
    expect(opened).toMatchObject({ ok: true, value: { boot: { provider: 'software', hardware: false } } });
    expect(lines).toEqual([
      { level: 'warn', fields: { provider: 'software' }, text: expect.stringMatching(/^Not a TEE/) },
    ]);
  });

  it('uses the first provider that makes a report, and logs its name', async () => {
    const agent = started(await dstack(readReportData));
    const other = started(await launcher());
    const { opened, lines } = await open({
      dstackSocket: agent.socket,
      confidentialSpaceSocket: other.socket,
    });
    expect(opened).toMatchObject({ ok: true, value: { boot: { provider: 'dstack', hardware: true } } });
    expect(other.calls).toEqual([]);
    expect(lines).toMatchObject([{ level: 'info', fields: { provider: 'dstack', format: 'tdx-quote' } }]);
  });

  it('skips hardware whose report is for another key, with a warning', async () => {
    const agent = started(await dstack(() => otherData));
    const other = started(await launcher());
    const { opened, lines } = await open({
      dstackSocket: agent.socket,
      confidentialSpaceSocket: other.socket,
    });
    expect(opened).toMatchObject({ ok: true, value: { boot: { provider: 'confidential-space' } } });
    expect(lines.map(({ level, text }) => [level, text])).toEqual([
      ['warn', expect.stringContaining('no attestation from dstack: the evidence carries other report data')],
      ['info', 'attested by hardware'],
    ]);
  });

  it('never claims hardware that made no report', async () => {
    const agent = started(await dstack(() => otherData));
    const { opened } = await open({ dstackSocket: agent.socket });
    expect(opened).toMatchObject({ ok: true, value: { summary: { provider: 'software', hardware: false } } });
  });

  it('calls nitriding only on a machine with the device of an enclave', async () => {
    let hash = Buffer.alloc(32);
    const internal = started(
      await fakePort(({ body }) => {
        hash = Buffer.from(body, 'base64');
        return { text: '' };
      }),
    );
    const external = started(
      await fakePort(({ url }) => {
        const nonce = Buffer.from(new URL(url, 'http://localhost').searchParams.get('nonce') ?? '', 'hex');
        return { text: nitroDocument(nitridingParts(hash, nonce)).toString('base64') };
      }),
    );
    const urls = { nitridingInternalUrl: internal.url, nitridingPublicUrl: external.url };
    expect(await open(urls)).toMatchObject({ opened: { value: { boot: { provider: 'software' } } } });
    expect(internal.calls).toEqual([]);
    const nsmDevice = join(folder, 'nsm');
    writeFileSync(nsmDevice, '');
    expect(await open({ ...urls, nsmDevice })).toMatchObject({
      opened: { value: { boot: { provider: 'nitriding', hardware: true, format: 'nitro-document' } } },
    });
  });
});

describe('D-75: a provider in the settings', () => {
  it('is the only one that is called', async () => {
    const agent = started(await dstack(readReportData));
    const software = await open({ provider: 'software', dstackSocket: agent.socket });
    expect(software.opened).toMatchObject({ ok: true, value: { boot: { provider: 'software' } } });
    expect(agent.calls).toEqual([]);
  });

  it('stops the start if it makes no report', async () => {
    const { opened } = await open({ provider: 'configfs-tsm' });
    const why = `configfs-tsm: ${join(folder, 'report')} does not exist`;
    expect(opened).toEqual({
      ok: false,
      fault: `attestation.provider is configfs-tsm, but it made no report: ${why}`,
    });
  });
});

describe('D-75: with hardware required', () => {
  it('a machine without hardware does not start, and one sentence lists the attempts', async () => {
    const { opened, lines } = await open({ required: 'hardware' });
    expect(opened).toEqual({
      ok: false,
      fault: expect.stringMatching(
        /^attestation\.required is hardware, but no hardware attested this gateway: configfs-tsm: .*; dstack: .*; confidential-space: [^;]*$/,
      ),
    });
    expect(lines).toEqual([]);
  });

  it('hardware with a report for another key does not count', async () => {
    const agent = started(await dstack(() => otherData));
    const { opened } = await open({ required: 'hardware', dstackSocket: agent.socket });
    expect(opened).toMatchObject({
      ok: false,
      fault: expect.stringContaining('dstack: the evidence carries other'),
    });
  });

  it('a hardware report lets the gateway start', async () => {
    const agent = started(await dstack(readReportData));
    const { opened } = await open({ required: 'hardware', dstackSocket: agent.socket });
    expect(opened).toMatchObject({ ok: true, value: { boot: { hardware: true } } });
  });

  it('software is refused by the settings, and again by the attester', async () => {
    expect(attestation.safeParse({ provider: 'software', required: 'hardware' }).error?.issues).toMatchObject(
      [{ path: ['provider'], message: 'must not be software when required is hardware' }],
    );
    const settings = { ...attestation.parse({}), provider: 'software', required: 'hardware' } as const;
    const { findSigner } = { findSigner: async () => null };
    const opened = await openAttester({
      settings,
      enclaveKey: testKey(),
      ledger: testLedger,
      proofStore: { findSigner },
      keccak,
      clock: manualClock(1),
      log: {} as Log,
    });
    expect(opened).toEqual({
      ok: false,
      fault: 'attestation.required is hardware, but no hardware attested this gateway',
    });
  });
});
