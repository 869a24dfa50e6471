import { load, postRequest } from '../measure/load.ts';
import { processCpuMs } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Report, Section } from '../section.ts';
import { chat, startGatewayTarget } from '../targets/gateway.ts';
import { type Fixed, installPeers, startBare, startOfficial } from '../targets/peers.ts';
import { openSetup } from '../targets/setup.ts';

export const unpaidConnections = 32;

export type UnpaidFigures = { readonly perSecond: number; readonly p50Ms: number; readonly cpuUs: number };

export const unpaid: Section = { id: 'a', title: 'Unpaid requests', run };

async function run({ rounds, seconds, say }: BenchOptions): Promise<Report> {
  installPeers(say);
  await using setup = await openSetup();
  const { devnet, keep } = setup;
  const ours = keep(await startGatewayTarget({ ...setup, name: 'gateway' }));
  const sameBytes = await readOffer(ours.url);
  const koa = keep(await startBare('koa', sameBytes));
  const node = keep(await startBare('node', sameBytes));
  const express = keep(await startOfficial('express', { devnet }));
  const hono = keep(await startOfficial('hono', { devnet }));

  const targets = [ours, koa, node, express, hono];
  const measured = await interleave(targets, rounds, async (target, round) => {
    const figures = await measureUnpaid(target, seconds);
    say(`round ${round} ${target.name}: ${figures.perSecond.toFixed(0)} responses/s`);
    return figures;
  });
  const of = (target: Target) => measured.get(target) ?? [];
  const against = (peer: Target) =>
    spread(of(ours).map(({ perSecond }, at) => perSecond / (of(peer)[at]?.perSecond ?? Number.NaN)));
  return {
    id: 'a',
    title: unpaid.title,
    method: `${unpaidConnections} connections send a chat request without payment. Bare Koa and bare node:http parse the body and send the bytes of the gateway's 402.`,
    rows: targets.map((target) => ({
      name: target.name,
      cells: {
        'responses/s': spread(of(target).map(({ perSecond }) => perSecond)),
        'p50 ms': spread(of(target).map(({ p50Ms }) => p50Ms)),
        'CPU µs/response': spread(of(target).map(({ cpuUs }) => cpuUs)),
      },
    })),
    ratios: [
      { name: 'gateway / bare Koa', value: against(koa), goal: { sign: '>=', value: 0.7 } },
      { name: 'gateway / @x402/express', value: against(express), goal: { sign: '>=', value: 2 } },
      { name: 'gateway / @x402/hono', value: against(hono) },
      { name: 'gateway / bare node:http', value: against(node) },
    ],
    chart: { bars: 'responses/s' },
  };
}

/** Sends unpaid chat requests to a server for some seconds. */
export async function measureUnpaid(target: Target, seconds: number): Promise<UnpaidFigures> {
  const url = `${target.url}${chat.path}`;
  const request = postRequest(url, chat.body);
  const before = processCpuMs(target.pid) ?? Number.NaN;
  const { perSecond, p50Ms, requests } = await load({
    urls: [url],
    atOnce: unpaidConnections,
    seconds,
    next: () => request,
    status: 402,
  });
  const cpuMs = (processCpuMs(target.pid) ?? Number.NaN) - before;
  return { perSecond, p50Ms, cpuUs: (cpuMs * 1_000) / requests };
}

/** Reads status, headers and body of the gateway's 402, without the headers that Node adds itself. */
async function readOffer(url: string): Promise<Fixed> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${chat.path}`, { method: 'POST', headers, body: chat.body });
  const own = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);
  const kept = [...response.headers].filter(([name]) => !own.has(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}
