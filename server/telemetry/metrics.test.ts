import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceEngine } from '../inference/reference/reference-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { type Sample, scrape, sumOf } from '../testing/metrics.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';
import { definitions, type MetricName } from './definitions.ts';

const sales = 12;
const outside = '/an-outside-path';
let gateway: TestGateway;
let samples: readonly Sample[];
let price: bigint;

/** A gateway under load: offers, sales and streams at once, replays, refusals, and paths of its clients. */
beforeAll(async () => {
  gateway = await startTestGateway({ adminAddress: '127.0.0.1:0' });
  const { url, engine, devnet } = gateway;
  const reference = createReferenceEngine();
  engine.answering = (task, limits) => reference.infer(task, limits);
  engine.streaming = (task, limits) => reference.stream(task, limits);
  const body = { ...chatBody, messages: [{ role: 'user', content: 'Count from 1 to 9.' }], max_tokens: 64 };
  const offer = decodeOffer(await post(url + chatPath, body));
  price = BigInt(offer.maxAmountRequired);
  const headers = await Promise.all(
    Array.from({ length: sales }, () => paymentFor(offer, devnet.payer.privateKey)),
  );
  const bought = await Promise.all(
    headers.map((payment, index) =>
      fetch(url + chatPath, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...payment },
        body: JSON.stringify({ ...body, user: `${index}`, stream: index % 2 === 0 }),
      }),
    ),
  );
  expect(bought.map(({ status }) => status)).toEqual(headers.map(() => 200));
  await Promise.all(bought.map((response) => response.text()));
  await fetch(url + outside);
  await fetch(url + chatPath, { method: 'DELETE' });
  samples = await scrape(gateway.adminUrl);
}, 60_000);
afterAll(() => gateway.stop());

describe('The metrics of a gateway under load', () => {
  it('have samples of every metric that the dashboard and the alerts use', () => {
    const sampled = new Set(samples.map(({ name }) => name));
    const used = [
      ...readNames('dashboard.json'),
      ...readNames('alerts.yaml'),
      ...readNames('alerts.test.yaml'),
    ];
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((name) => !sampled.has(name))).toEqual([]);
  });

  it('are all in the dashboard', () => {
    const shown = readNames('dashboard.json').map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    expect(Object.keys(definitions).filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('count offers, sales and income', () => {
    expect(sumOf(samples, 'paid_inference_requests_total', 'outcome="offer"')).toBe(1);
    expect(sumOf(samples, 'paid_inference_requests_total', 'outcome="sold"')).toBe(sales);
    expect(sumOf(samples, 'paid_inference_income_total', `model="${chatBody.model}"`)).toBe(
      sales * Number(price),
    );
    expect(sumOf(samples, 'paid_inference_payments_total', 'state="settled"')).toBe(sales);
    expect(sumOf(samples, 'paid_inference_settlement_batch_payments_sum')).toBe(sales);
  });

  it('name requests by the path of the contract, and other paths and methods not at all', () => {
    const requests = 'http_server_request_duration_seconds_count';
    expect(sumOf(samples, requests, `http_route="${chatPath}"`, 'code="200"')).toBe(sales);
    expect(sumOf(samples, requests, 'http_route=""', 'code="404"')).toBe(1);
    expect(sumOf(samples, requests, 'http_route=""', 'method="_OTHER"', 'code="405"')).toBe(1);
    expect(samples.filter(({ labels }) => labels.includes(outside) || labels.includes('DELETE'))).toEqual([]);
  });

  it('never name the payer (D-301)', () => {
    const { address } = gateway.devnet.payer;
    const named = samples.filter(({ labels }) =>
      labels.toLowerCase().includes(address.slice(2, 10).toLowerCase()),
    );
    expect(named).toEqual([]);
  });

  it('measure inferences, tokens and gas', () => {
    const model = `gen_ai_request_model="${chatBody.model}"`;
    expect(sumOf(samples, 'gen_ai_server_request_duration_seconds_count', model, 'error_type=""')).toBe(
      sales,
    );
    expect(sumOf(samples, 'gen_ai_server_time_to_first_token_seconds_count', model)).toBe(sales / 2);
    expect(sumOf(samples, 'gen_ai_client_token_usage_sum', model, 'type="output"')).toBeGreaterThan(sales);
    const transactions = sumOf(samples, 'paid_inference_settlement_gas_per_payment_count');
    const gas = sumOf(samples, 'paid_inference_settlement_gas_per_payment_sum') / transactions;
    expect(gas).toBeGreaterThan(30_000);
    expect(gas).toBeLessThan(120_000);
    expect(sumOf(samples, 'paid_inference_relayer_payments_covered')).toBeGreaterThan(1_000);
    expect(sumOf(samples, 'paid_inference_inferences_in_progress')).toBe(0);
  });
});

describe('D-300: the admin address', () => {
  it('is not the address of the clients, which have no metrics', async () => {
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
    expect((await fetch(`${gateway.adminUrl}/health`)).status).toBe(404);
    expect((await fetch(`${gateway.adminUrl}/metrics`, { method: 'POST' })).status).toBe(405);
  });
});

it('A replay is counted, and is no income (D-303)', async () => {
  const before = sumOf(await scrape(gateway.adminUrl), 'paid_inference_income_total');
  const offer = decodeOffer(await post(gateway.url + chatPath, chatBody));
  const payment = await paymentFor(offer, gateway.devnet.payer.privateKey);
  const first = await post(gateway.url + chatPath, chatBody, payment);
  const second = await post(gateway.url + chatPath, chatBody, payment);
  expect(decodeReceipt(second)).toEqual(decodeReceipt(first));
  const after = await scrape(gateway.adminUrl);
  expect(sumOf(after, 'paid_inference_income_total') - before).toBe(Number(offer.maxAmountRequired));
  expect(sumOf(after, 'paid_inference_requests_total', 'outcome="replayed"')).toBe(1);
});

/** The names of metrics in a file. Names of labels look alike. */
function readNames(file: string): readonly string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const labels = new Set(Object.keys(definitions).flatMap((name) => definitions[name as MetricName].labels));
  const names = text.match(/\b(paid_inference|gen_ai|http|process|nodejs)_\w+/g) ?? [];
  return [...new Set(names)].filter((name) => !labels.has(name as never));
}
