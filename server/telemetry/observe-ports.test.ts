import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { HttpRpc } from '../chain/http-rpc.ts';
import type { Engine, InferenceTask } from '../inference/engine.ts';
import { createLog } from '../observe/log.ts';
import type { OpenStore } from '../store/store.ts';
import { StoreUnavailable } from '../store/store.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { parseSamples, sumOf } from '../testing/metrics.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { createInstruments } from './instruments.ts';
import { observeEngine } from './observe-engine.ts';
import { observeLog } from './observe-log.ts';
import { observeRpc } from './observe-rpc.ts';
import { observeSettlement } from './observe-settlement.ts';
import { observeStore } from './observe-store.ts';
import { createScrape } from './scrape.ts';

function openMeasured() {
  const registry = new Registry();
  const clock = manualClock(1_700_000_000);
  const ports = { instruments: createInstruments(registry), clock };
  const read = async () => parseSamples(await registry.metrics());
  return { ...ports, ports, read };
}

const task: InferenceTask = {
  kind: 'text',
  model: 'alder/alder-mini',
  prompt: 'ping',
  maxTokens: 8,
  temperature: 0,
  stop: [],
  fields: {},
};
const limits = { timeoutMs: 1_000, signal: new AbortController().signal };

describe('An inference', () => {
  const seconds = 'gen_ai_server_request_duration_seconds';

  function observed(streaming: Engine['stream']) {
    const measured = openMeasured();
    const engine = { ...createCountingEngine(), streaming };
    engine.stream = streaming;
    return { ...measured, engine: observeEngine(engine, task.model, measured.ports) };
  }

  it('is timed until its first part, and for each further token', async () => {
    const { clock, engine, read } = observed(async function* () {
      clock.advance(2);
      yield { kind: 'text', text: 'po' };
      clock.advance(8);
      yield { kind: 'text', text: 'ng' };
      const usage = { prompt_tokens: 1, completion_tokens: 5, total_tokens: 6 };
      return ok({ ...pong(task), usage });
    });
    for await (const _ of engine.stream(task, limits));
    const samples = await read();
    expect(sumOf(samples, 'gen_ai_server_time_to_first_token_seconds_sum')).toBe(2);
    expect(sumOf(samples, 'gen_ai_server_time_per_output_token_seconds_sum')).toBe(2);
    expect(sumOf(samples, `${seconds}_sum`, 'error_type=""')).toBe(10);
  });

  it('whose reader leaves ends as cancelled, and ends the engine', async () => {
    let isEnded = false;
    const { engine, read } = observed(async function* () {
      try {
        for (;;) yield { kind: 'text', text: 'po' };
      } finally {
        isEnded = true;
      }
    });
    for await (const _ of engine.stream(task, limits)) break;
    const samples = await read();
    expect(isEnded).toBe(true);
    expect(sumOf(samples, `${seconds}_count`, 'error_type="cancelled"')).toBe(1);
    expect(sumOf(samples, 'paid_inference_inferences_in_progress')).toBe(0);
  });

  it.each([
    ['timeout', async () => fail({ kind: 'timeout', detail: 'late' } as const)],
    ['exception', () => Promise.reject(new Error('defect'))],
  ])('that ends with %s has this error type', async (type, answering) => {
    const measured = openMeasured();
    const engine = createCountingEngine();
    engine.answering = answering;
    await observeEngine(engine, task.model, measured.ports)
      .infer(task, limits)
      .catch(() => undefined);
    const samples = await measured.read();
    expect(sumOf(samples, `${seconds}_count`, `error_type="${type}"`)).toBe(1);
    expect(sumOf(samples, 'gen_ai_client_token_usage_count')).toBe(0);
  });
});

describe('An operation of the store', () => {
  it('is timed and counted by its kind of failure', async () => {
    const { ports, clock, read } = openMeasured();
    const store = {
      settle: async () => clock.advance(3),
      expire: () => Promise.reject(new StoreUnavailable('away')),
    } as unknown as OpenStore;
    const observed = observeStore(store, ports);
    await observed.settle([1, 2], {} as never);
    await expect(observed.expire(3)).rejects.toThrow('away');
    const samples = await read();
    expect(sumOf(samples, 'paid_inference_store_duration_seconds_sum', 'operation="settle"')).toBe(3);
    expect(sumOf(samples, 'paid_inference_store_failures_total', 'kind="unavailable"')).toBe(1);
    expect(sumOf(samples, 'paid_inference_payments_total', 'state="settled"')).toBe(2);
    expect(sumOf(samples, 'paid_inference_payments_total', 'state="expired"')).toBe(0);
    expect(sumOf(samples, 'paid_inference_store_operations_in_progress')).toBe(0);
  });
});

describe('A call to an RPC endpoint', () => {
  const endpoint = { chain: 'payments', place: 2 } as const;

  it('shows the endpoint as down while it gives no usable response, and its newest block', async () => {
    const { ports, read } = openMeasured();
    const responses = [
      ok({ number: '0x10' }),
      ok({ number: '0xf' }),
      fail({ kind: 'refused', code: 3, message: 'reverted' } as const),
      fail({ kind: 'unavailable', message: 'no response' } as const),
    ];
    const rpc = { call: async () => responses.shift(), close: async () => undefined } as unknown as HttpRpc;
    const observed = observeRpc(rpc, endpoint, ports);
    const up = async () => sumOf(await read(), 'paid_inference_rpc_endpoint_up', 'endpoint="2"');
    await observed.call('eth_getBlockByNumber', ['latest', false]);
    await observed.call('eth_getBlockByNumber', ['latest', false]);
    await observed.call('eth_call', []);
    expect(await up()).toBe(1);
    await observed.call('eth_call', []);
    expect(await up()).toBe(0);
    expect(sumOf(await read(), 'paid_inference_rpc_endpoint_block')).toBe(16);
    expect(sumOf(await read(), 'paid_inference_rpc_calls_total', 'result="refused"')).toBe(1);
  });

  it('of a visitor does not show the endpoint as down when it fails (D-345)', async () => {
    const { ports, read } = openMeasured();
    const responses = [ok('0x1'), fail({ kind: 'unavailable', message: 'too large' } as const)];
    const rpc = { call: async () => responses.shift() } as unknown as HttpRpc;
    const observed = observeRpc(rpc, endpoint, ports);
    await observed.call('eth_chainId', []);
    await observed.call('eth_getLogs', [], { isForVisitor: true });
    const samples = await read();
    expect(sumOf(samples, 'paid_inference_rpc_endpoint_up', 'endpoint="2"')).toBe(1);
    expect(sumOf(samples, 'paid_inference_rpc_calls_total', 'result="unavailable"')).toBe(1);
  });

  it('of a caller that no longer waits says nothing about the endpoint', async () => {
    const { ports, read } = openMeasured();
    const rpc = { call: async () => fail({ kind: 'unavailable', message: 'aborted' }) } as unknown as HttpRpc;
    await observeRpc(rpc, endpoint, ports).call('eth_call', [], { signal: AbortSignal.abort() });
    expect(sumOf(await read(), 'paid_inference_rpc_calls_total')).toBe(0);
  });
});

describe('The ether of a relayer', () => {
  const relayer = `0x${'12'.repeat(20)}` as Address;
  const balance = { relayer, wei: 10n ** 18n, weiPerGas: 10n ** 9n, isEmpty: false };

  it('covers payments at the gas that payments took so far', async () => {
    const { instruments, read } = openMeasured();
    const observer = observeSettlement(instruments);
    observer.gasBalance(balance);
    expect(sumOf(await read(), 'paid_inference_relayer_payments_covered')).toBe(15_151);
    observer.mined({ payments: 10, isReverted: false, gas: { used: 400_000n, weiPerGas: 10n ** 9n } });
    observer.gasBalance(balance);
    expect(sumOf(await read(), 'paid_inference_relayer_payments_covered')).toBe(25_000);
    expect(sumOf(await read(), 'paid_inference_settlement_fee_ether_total')).toBeCloseTo(0.0004);
    observer.gasBalance({ ...balance, isEmpty: true });
    expect(sumOf(await read(), 'paid_inference_relayer_payments_covered')).toBe(0);
  });
});

describe('A scrape', () => {
  const none = { payments: 0, amount: 0n };
  const open = { reserved: none, executed: none, submitted: none, debts: none };
  const backlog = { individual: 0, batch: 2, batchSince: null };

  function watch(change: object) {
    const measured = openMeasured();
    const store = {
      openTotals: async () => ({ ...open, unsettledSince: measured.clock.steadySeconds() }),
      owedTotals: async () => none,
      backlog: async () => backlog,
      openBatches: async () => [],
      parked: async () => ({ proofs: 0, refusal: null }),
      waitingElsewhere: async () => ({ proofs: 0, ledger: null }),
      ...change,
    } as unknown as OpenStore;
    const readiness = {
      report: async () => [{ name: 'store', healthIssue: 'full', warning: null }],
      saleIssue: async () => 'full',
    };
    const network = { chainId: 1, contract: `0x${'34'.repeat(20)}` as Address };
    const state = { readiness, store, network, models: new Map([[task.model, null]]) };
    return { ...measured, scrape: createScrape(state, measured.ports, 1) };
  }

  it('reads the age of the oldest unsettled payment, and what is not ready', async () => {
    const unsettledSince = 1_700_000_000 - 40;
    const { scrape, read } = watch({ openTotals: async () => ({ ...open, unsettledSince }) });
    await scrape();
    const samples = await read();
    expect(sumOf(samples, 'paid_inference_settlement_oldest_seconds')).toBe(40);
    expect(samples).toContainEqual({ name: 'paid_inference_ready', labels: 'check="store"', value: 0 });
    expect(sumOf(samples, 'paid_inference_source_up')).toBe(3);
  });

  it('does not wait for a source that hangs', async () => {
    const { scrape, read } = watch({ backlog: () => new Promise(() => undefined) });
    await scrape();
    const samples = await read();
    expect(samples).toContainEqual({ name: 'paid_inference_source_up', labels: 'source="proofs"', value: 0 });
    expect(sumOf(samples, 'paid_inference_source_up')).toBe(2);
  });

  it('leaves out what the store does not tell, also what it told before', async () => {
    let isAway = false;
    const openTotals = async () => {
      if (isAway) throw new StoreUnavailable('away');
      return { ...open, unsettledSince: null };
    };
    const { scrape, read } = watch({ openTotals });
    await scrape();
    isAway = true;
    await scrape();
    const samples = await read();
    expect(samples).toContainEqual({ name: 'paid_inference_source_up', labels: 'source="store"', value: 0 });
    const named = samples.map(({ name }) => name);
    expect(named).not.toContain('paid_inference_settlement_oldest_seconds');
    expect(named).not.toContain('paid_inference_open_payments');
    expect(sumOf(samples, 'paid_inference_proof_backlog', 'kind="batch"')).toBe(2);
  });
});

it('Warnings and errors of the log are counted, and still logged', async () => {
  const { instruments, read } = openMeasured();
  const lines: unknown[][] = [];
  const log = observeLog(
    { ...createLog('silent'), warn: (...line: unknown[]) => void lines.push(line) },
    instruments,
  );
  log.warn({ check: 'store' }, 'not ready');
  log.warn('a sentence');
  log.info('nothing');
  expect(lines).toEqual([[{ check: 'store' }, 'not ready'], ['a sentence']]);
  const samples = await read();
  expect(sumOf(samples, 'paid_inference_log_lines_total', 'level="warn"')).toBe(2);
  expect(sumOf(samples, 'paid_inference_log_lines_total', 'level="error"')).toBe(0);
});
