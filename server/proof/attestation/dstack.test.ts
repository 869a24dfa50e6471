import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeAnswer,
  type FakeServer,
  fakeSocket,
  type SeenCall,
} from '../../testing/attestation/fake-server.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { manualClock } from '../../types/clock.ts';
import { createDstackProvider } from './dstack.ts';
import { type MessagePackValue, writeMessagePack } from './testing/message-pack-writer.ts';
import { snpReport, tdxQuote } from './testing/reports.ts';

let agent: (FakeServer & { socket: string }) | null = null;
afterEach(async () => {
  await agent?.close();
  agent = null;
});

type Answer = (call: SeenCall) => FakeAnswer | null;

async function providerOf(answer: Answer, timeoutMs = 5_000) {
  agent = await fakeSocket(answer);
  const provider = createDstackProvider({
    socket: agent.socket,
    timeoutMs,
    clock: manualClock(1_700_000_000),
  });
  return { provider, agent };
}

async function faultOf(answer: Answer, timeoutMs = 5_000): Promise<string | null> {
  const { provider } = await providerOf(answer, timeoutMs);
  const made = await provider.attest(ourReportData);
  return made.ok ? null : made.fault.message;
}

const hex = (content: Uint8Array) => Buffer.from(content).toString('hex');
const json = (value: object, status = 200): FakeAnswer => ({ status, text: JSON.stringify(value) });
/** The report data that a call asks for. */
const asked = ({ body }: SeenCall) =>
  Buffer.from((JSON.parse(body) as { report_data: string }).report_data, 'hex');
const quoteOf = (call: SeenCall) =>
  json({ quote: hex(tdxQuote(asked(call))), event_log: '[]', vm_config: '{}' });
const noTdx = json({ error: 'quote generation needs TDX' }, 400);

/** An agent without TDX, that attests as newer agents do. */
const attests =
  (platform: (call: SeenCall) => MessagePackValue): Answer =>
  (call) => {
    if (call.url !== '/v1/Attest') return noTdx;
    const stack = {
      kind: 'dstack',
      data: { report_data: [...asked(call)], runtime_events: [], config: '{}' },
    };
    return json({ attestation: hex(writeMessagePack({ version: 1, platform: platform(call), stack })) });
  };

describe('A quote of the guest agent', () => {
  it('is asked for with our report data in hex, and taken with the log that explains its registers', async () => {
    const { provider, agent } = await providerOf(quoteOf);
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

  it('of an agent that says nothing beside it is a quote as well', async () => {
    const { provider } = await providerOf((call) => json({ quote: `0x${hex(tdxQuote(asked(call)))}` }));
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true, value: { format: 'tdx-quote' } });
  });
});

describe('An agent that refuses quotes is asked to attest', () => {
  it.each([
    ['tdx', 'quote', tdxQuote, 'tdx-quote'],
    ['gcp-tdx', 'quote', tdxQuote, 'tdx-quote'],
    ['sev-snp', 'report', snpReport, 'sev-snp-report'],
  ] as const)('on %s, where its %s is what counts', async (kind, field, make, format) => {
    for (const written of [(each: Buffer) => [...each], (each: Buffer) => each]) {
      const { provider, agent } = await providerOf(
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
    [
      'a platform that is not read here',
      () => ({ kind: 'nitro-enclave', data: {} }),
      'platform "nitro-enclave"',
    ],
    ['a platform without a report', () => ({ kind: 'sev-snp', data: {} }), 'without a report'],
    ['a quote that is none', () => ({ kind: 'tdx', data: { quote: ['a', 'b'] } }), 'without a quote'],
  ] as Array<[string, () => MessagePackValue, string]>)(
    'but not believed with %s',
    async (_name, platform, sentence) => {
      expect(await faultOf(attests(platform))).toContain(sentence);
    },
  );

  it('but not believed with an attestation of another form', async () => {
    const answer: Answer = (call) => (call.url === '/v1/Attest' ? json({ attestation: '00ff' }) : noTdx);
    expect(await faultOf(answer)).toContain('of a form that is not read here');
  });

  it('and where it knows nothing newer, its first refusal is what is told', async () => {
    const answer: Answer = (call) => (call.url === '/GetQuote' ? noTdx : { status: 404, text: '<html>' });
    expect(await faultOf(answer)).toBe('the agent refused GetQuote (HTTP 400): quote generation needs TDX');
  });
});

describe('A quote is refused', () => {
  it.each([
    ['with other report data', () => json({ quote: hex(tdxQuote(otherData)) }), 'other report data'],
    [
      'of a debug domain',
      (call: SeenCall) => json({ quote: hex(tdxQuote(asked(call), { isDebug: true })) }),
      'debug mode',
    ],
    ['that is no hex', () => json({ quote: 'quote' }), 'without a quote'],
    ['that is none', () => json({ quote: 'abcd' }), 'no tdx-quote'],
    ['that is missing', () => json({}), 'without a quote'],
    ['beside an error', () => json({ error: 'no\nluck' }), 'refused GetQuote (HTTP 200): no luck'],
    ['with an error of the server', () => ({ status: 500, text: 'oops' }), 'refused GetQuote (HTTP 500)'],
    ['that is no JSON', () => ({ text: '<html>' }), 'refused GetQuote (HTTP 200)'],
    ['that is too large', () => ({ text: 'x'.repeat(1_048_577) }), 'larger than 1048576 bytes'],
  ] as Array<[string, Answer, string]>)('%s', async (_name, answer, sentence) => {
    expect(await faultOf(answer)).toContain(sentence);
  });

  it('that does not come: one deadline holds for both questions', async () => {
    expect(await faultOf(() => null, 30)).toMatch(/^no answer from .* in time$/);
    await agent?.close();
    expect(await faultOf((call) => (call.url === '/GetQuote' ? noTdx : null), 30)).toMatch(/ in time$/);
  });

  it('where no agent is', async () => {
    const provider = createDstackProvider({
      socket: '/nowhere/dstack.sock',
      timeoutMs: 1_000,
      clock: manualClock(1),
    });
    const message = 'nobody listens at /nowhere/dstack.sock (ENOENT)';
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: true, message } });
  });
});
