import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeResponse,
  type FakeServer,
  fakeSocket,
  type SeenCall,
} from '../../testing/attestation/fake-server.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { type MessagePackValue, writeMessagePack } from '../../testing/attestation/message-pack-writer.ts';
import { snpReport, tdxQuote } from '../../testing/attestation/reports.ts';
import { manualClock } from '../../types/clock.ts';
import { createDstackProvider } from './dstack.ts';

let agent: (FakeServer & { socket: string }) | null = null;
afterEach(async () => {
  await agent?.close();
  agent = null;
});

type Respond = (call: SeenCall) => FakeResponse | null;

async function openProvider(respond: Respond, timeoutMs = 5_000) {
  agent = await fakeSocket(respond);
  const provider = createDstackProvider({
    socket: agent.socket,
    timeoutMs,
    clock: manualClock(1_700_000_000),
  });
  return { provider, agent };
}

async function findFault(respond: Respond, timeoutMs = 5_000): Promise<string | null> {
  const { provider } = await openProvider(respond, timeoutMs);
  const made = await provider.attest(ourReportData);
  return made.ok ? null : made.fault.message;
}

const hex = (content: Uint8Array) => Buffer.from(content).toString('hex');
const json = (value: object, status = 200): FakeResponse => ({ status, text: JSON.stringify(value) });
/** Reads the report data of a call. */
const asked = ({ body }: SeenCall) =>
  Buffer.from((JSON.parse(body) as { report_data: string }).report_data, 'hex');
const writeQuote = (call: SeenCall) =>
  json({ quote: hex(tdxQuote(asked(call))), event_log: '[]', vm_config: '{}' });
const noTdx = json({ error: 'quote generation needs TDX' }, 400);

/** A fake agent without TDX that supports `Attest`, as newer agents do. */
const attests =
  (platform: (call: SeenCall) => MessagePackValue): Respond =>
  (call) => {
    if (call.url !== '/v1/Attest') return noTdx;
    const stack = {
      kind: 'dstack',
      data: { report_data: [...asked(call)], runtime_events: [], config: '{}' },
    };
    return json({ attestation: hex(writeMessagePack({ version: 1, platform: platform(call), stack })) });
  };

describe('A quote of the guest agent', () => {
  it('is requested with the report data in hex, and returned with the log that explains its registers', async () => {
    const { provider, agent } = await openProvider(writeQuote);
    expect(await provider.attest(ourReportData)).toEqual({
      ok: true,
      value: {
        format: 'tdx-quote',
        evidence: tdxQuote(ourReportData),
        measurements: expect.objectContaining({ MRTD: 'a0'.repeat(48), event_log: '[]', vm_config: '{}' }),
        issuedAt: 1_700_000_000,
      },
    });
    expect(agent.calls).toMatchObject([
      {
        method: 'POST',
        url: '/GetQuote',
        contentType: 'application/json',
        body: `{"report_data":"${hex(ourReportData)}"}`,
      },
    ]);
    expect(provider).toMatchObject({ kind: 'dstack', hardware: true });
  });

  it('is accepted without a log', async () => {
    const { provider } = await openProvider((call) => json({ quote: `0x${hex(tdxQuote(asked(call)))}` }));
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true, value: { format: 'tdx-quote' } });
  });
});

describe('An agent that rejects GetQuote is asked to attest', () => {
  it.each([
    ['tdx', 'quote', tdxQuote, 'tdx-quote'],
    ['gcp-tdx', 'quote', tdxQuote, 'tdx-quote'],
    ['sev-snp', 'report', snpReport, 'sev-snp-report'],
  ] as const)('on %s, and its %s is the evidence', async (kind, field, make, format) => {
    for (const written of [(each: Buffer) => [...each], (each: Buffer) => each]) {
      const { provider, agent } = await openProvider(
        attests((call) => ({ kind, data: { [field]: written(make(asked(call))), event_log: [] } })),
      );
      const made = await provider.attest(ourReportData);
      expect(made).toMatchObject({ ok: true, value: { format, evidence: make(ourReportData) } });
      expect(agent.calls.map((call) => call.url)).toEqual(['/GetQuote', '/v1/Attest']);
      await agent.close();
    }
    agent = null;
  });

  it.each([
    [
      'another report data',
      () => ({ kind: 'tdx', data: { quote: [...tdxQuote(otherData)] } }),
      'other report data',
    ],
    ['an unsupported platform', () => ({ kind: 'nitro-enclave', data: {} }), 'platform "nitro-enclave"'],
    ['a platform without a report', () => ({ kind: 'sev-snp', data: {} }), 'without a report'],
    ['an invalid quote', () => ({ kind: 'tdx', data: { quote: ['a', 'b'] } }), 'without a quote'],
  ] as Array<[string, () => MessagePackValue, string]>)(
    'and rejected with %s',
    async (_name, platform, sentence) => {
      expect(await findFault(attests(platform))).toContain(sentence);
    },
  );

  it('and rejected with an attestation of another form', async () => {
    const respond: Respond = (call) => (call.url === '/v1/Attest' ? json({ attestation: '00ff' }) : noTdx);
    expect(await findFault(respond)).toContain('of an unsupported form');
  });

  it('and its first rejection is the fault when it has no Attest', async () => {
    const respond: Respond = (call) => (call.url === '/GetQuote' ? noTdx : { status: 404, text: '<html>' });
    expect(await findFault(respond)).toBe(
      'the agent rejected GetQuote (HTTP 400): quote generation needs TDX',
    );
  });
});

describe('A quote is rejected', () => {
  it.each([
    ['with other report data', () => json({ quote: hex(tdxQuote(otherData)) }), 'other report data'],
    [
      'of a debug domain',
      (call: SeenCall) => json({ quote: hex(tdxQuote(asked(call), { isDebug: true })) }),
      'debug mode',
    ],
    ['that is not hex', () => json({ quote: 'quote' }), 'without a quote'],
    ['that is invalid', () => json({ quote: 'abcd' }), 'not a tdx-quote'],
    ['that is missing', () => json({}), 'without a quote'],
    ['beside an error', () => json({ error: 'no\nluck' }), 'rejected GetQuote (HTTP 200): no luck'],
    ['with HTTP 500', () => ({ status: 500, text: 'oops' }), 'rejected GetQuote (HTTP 500)'],
    ['that is not JSON', () => ({ text: '<html>' }), 'rejected GetQuote (HTTP 200)'],
    ['that is too large', () => ({ text: 'x'.repeat(1_048_577) }), 'larger than 1048576 bytes'],
  ] as Array<[string, Respond, string]>)('%s', async (_name, respond, sentence) => {
    expect(await findFault(respond)).toContain(sentence);
  });

  it('that does not arrive in time, with one deadline for both calls', async () => {
    expect(await findFault(() => null, 30)).toMatch(/^no response from .* in time$/);
    await agent?.close();
    expect(await findFault((call) => (call.url === '/GetQuote' ? noTdx : null), 30)).toMatch(/ in time$/);
  });

  it('when no agent is running', async () => {
    const provider = createDstackProvider({
      socket: '/nowhere/dstack.sock',
      timeoutMs: 1_000,
      clock: manualClock(1),
    });
    const message = 'nothing listens at /nowhere/dstack.sock (ENOENT)';
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: true, message } });
  });
});
