import { load, postRequest } from '../measure/load.ts';
import { processCpuMs } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Ratio, Report, Section } from '../section.ts';
import { chat } from '../targets/gateway.ts';
import { loadPaid, type PaidFigures } from '../targets/paid-load.ts';
import { startGatewayPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers, startPortkey, startProxy, startUpstream } from '../targets/peers.ts';
import { openSetup, type Setup } from '../targets/setup.ts';

/** More payments a second than the gateway reached. */
const perSecondMost = 1_200;

export const upstream: Section = { id: 'c', title: 'Through an OpenAI-compatible upstream', run };

type Load = { readonly atOnce: number; readonly seconds: number };
type Server = { readonly name: string; readonly measure: (load: Load) => Promise<PaidFigures> };
type Slice = { readonly server: Server; readonly atOnce: number };

async function run({ rounds, seconds, quick, say }: BenchOptions): Promise<Report> {
  installPeers(say);
  await using setup = await openSetup();
  const servers = await startServers(setup);
  const concurrencies = quick ? [32] : [1, 32, 64];
  const slices: readonly Slice[] = concurrencies.flatMap((atOnce) =>
    servers.map((server) => ({ server, atOnce })),
  );
  const measured = await interleave(slices, rounds, async ({ server, atOnce }, round) => {
    const figures = await server.measure({ atOnce, seconds });
    say(`round ${round} ${server.name}, ${atOnce} at once: ${figures.perSecond.toFixed(0)} requests/s`);
    return figures;
  });
  const of = (server: Server, atOnce: number) =>
    measured.get(slices.find((slice) => slice.server === server && slice.atOnce === atOnce) as Slice) ?? [];
  const [ours, portkey, proxy] = servers;
  const compare = (peer: Server, atOnce: number): Ratio => ({
    name: `${ours.name} / ${peer.name}, ${atOnce} at once: requests/s`,
    value: spread(
      of(ours, atOnce).map(
        ({ perSecond }, at) => perSecond / (of(peer, atOnce)[at]?.perSecond ?? Number.NaN),
      ),
    ),
    ...(peer === portkey && atOnce === 32 && { goal: { sign: '>=', value: 1 } }),
  });
  return {
    id: upstream.id,
    title: upstream.title,
    method:
      'All servers send each chat request to the same fake upstream on this machine, which responds at once. The gateway is paid for each request. The peers check and settle nothing: Portkey passes requests on, and Koa with undici does the least that a proxy must do.',
    rows: slices.map(({ server, atOnce }) => {
      const figures = of(server, atOnce);
      return {
        name: `${server.name}, ${atOnce} at once`,
        cells: {
          'requests/s': spread(figures.map(({ perSecond }) => perSecond)),
          'p50 ms': spread(figures.map(({ p50Ms }) => p50Ms)),
          'p99 ms': spread(figures.map(({ p99Ms }) => p99Ms)),
          'CPU ms/request': spread(figures.map(({ cpuMs }) => cpuMs)),
        },
      };
    }),
    ratios: concurrencies.flatMap((atOnce) => [compare(portkey, atOnce), compare(proxy, atOnce)]),
    chart: { bars: 'requests/s' },
  };
}

async function startServers(setup: Setup): Promise<readonly [Server, Server, Server]> {
  const model = setup.keep(await startUpstream(0));
  const ours = await startGatewayPayee(setup, { suffix: ' paid', upstream: model.url });
  const sign = await createPaymentSigner(setup.devnet);
  const toUpstream = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': model.url,
    Authorization: 'Bearer none',
  };
  return [
    {
      name: ours.name,
      measure: (options) => loadPaid(ours, sign, { ...options, payments: perSecondMost * options.seconds }),
    },
    unpaidServer(setup.keep(await startPortkey()), toUpstream),
    unpaidServer(setup.keep(await startProxy(model.url)), {}),
  ];
}

function unpaidServer(target: Target, headers: Readonly<Record<string, string>>): Server {
  const url = `${target.url}${chat.path}`;
  const request = postRequest(url, chat.body, headers);
  return {
    name: `${target.name} unpaid`,
    async measure(options) {
      const before = processCpuMs(target.pid) ?? Number.NaN;
      const figures = await load({ ...options, urls: [url], next: () => request, status: 200 });
      const cpuMs = ((processCpuMs(target.pid) ?? Number.NaN) - before) / figures.requests;
      return { ...figures, cpuMs };
    },
  };
}
