import { load, postRequest } from '../measure/load.ts';
import { processCpuMs } from '../measure/processor.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Ratio, Report, Section } from '../section.ts';
import { addRound, createDevnetRounds, type Measurements } from '../targets/devnet-rounds.ts';
import { chat } from '../targets/gateway.ts';
import { loadFor, type PaidFigures, warmUp } from '../targets/paid-load.ts';
import { startGatewayPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers, startPortkey, startProxy, startUpstream } from '../targets/peers.ts';
import type { Setup } from '../targets/setup.ts';

export const upstream: Section = { id: 'c', title: 'Through an OpenAI-compatible upstream', run };

type Load = { readonly atOnce: number; readonly seconds: number };
type Server = { readonly name: string; readonly measure: (load: Load) => Promise<PaidFigures> };

const names = { ours: 'gateway paid', portkey: 'Portkey unpaid', proxy: 'Koa and undici unpaid' } as const;

async function run(options: BenchOptions): Promise<Report> {
  installPeers(options.say);
  const concurrencies = options.quick ? [32] : [1, 32, 64];
  const measured = new Map<string, PaidFigures[]>();
  const devnetRounds = createDevnetRounds(options);
  for (let round = 1; round <= options.rounds; round++) {
    for (const atOnce of concurrencies) {
      const start = (setup: Setup) => measureServers(atOnce, round, setup, options);
      addRound(measured, await devnetRounds.measure(round, start));
    }
  }
  const compare = (peer: 'portkey' | 'proxy', atOnce: number): Ratio => {
    const [ours, others] = [names.ours, names[peer]].map(
      (name) => measured.get(describe(name, atOnce)) ?? [],
    );
    return {
      name: `${names.ours} / ${names[peer]}, ${atOnce} at once: requests/s`,
      value: spread(
        (ours ?? []).map(({ perSecond }, at) => perSecond / (others?.[at]?.perSecond ?? Number.NaN)),
      ),
      ...(peer === 'portkey' && atOnce === 32 && { goal: { sign: '>=', value: 1 } }),
    };
  };
  return {
    id: upstream.id,
    title: upstream.title,
    method:
      'All servers send each chat request to the same fake upstream on this machine, which responds at once. The gateway is paid for each request. The peers check and settle nothing: Portkey passes requests on, and Koa with undici does the least that a proxy must do. Each round has a new devnet and new servers.',
    rows: [...measured].map(([name, figures]) => ({
      name,
      cells: {
        'requests/s': spread(figures.map(({ perSecond }) => perSecond)),
        'p50 ms': spread(figures.map(({ p50Ms }) => p50Ms)),
        'p99 ms': spread(figures.map(({ p99Ms }) => p99Ms)),
        'CPU ms/request': spread(figures.map(({ cpuMs }) => cpuMs)),
      },
    })),
    ratios: concurrencies.flatMap((atOnce) => [compare('portkey', atOnce), compare('proxy', atOnce)]),
    chart: { bars: 'requests/s' },
  };
}

function describe(name: string, atOnce: number): string {
  return `${name}, ${atOnce} at once`;
}

async function measureServers(
  atOnce: number,
  round: number,
  setup: Setup,
  { seconds, say }: BenchOptions,
): Promise<Measurements<PaidFigures>> {
  const servers = await startServers(setup);
  for (const { measure } of servers) await measure(warmUp);
  return new Map(servers.map((server) => [describe(server.name, atOnce), () => measure(server)]));

  async function measure(server: Server): Promise<PaidFigures> {
    const figures = await server.measure({ atOnce, seconds });
    say(`round ${round} ${describe(server.name, atOnce)}: ${figures.perSecond.toFixed(0)} requests/s`);
    return figures;
  }
}

async function startServers(setup: Setup): Promise<readonly Server[]> {
  const model = setup.keep(await startUpstream(0));
  const ours = await startGatewayPayee(setup, { suffix: ' paid', upstream: model.url });
  const sign = await createPaymentSigner(setup.devnet);
  const toUpstream = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': model.url,
    Authorization: 'Bearer none',
  };
  return [
    { name: names.ours, measure: (load) => loadFor(ours, sign, load) },
    unpaidServer(names.portkey, setup.keep(await startPortkey()), toUpstream),
    unpaidServer(names.proxy, setup.keep(await startProxy(model.url)), {}),
  ];
}

function unpaidServer(name: string, target: Target, headers: Readonly<Record<string, string>>): Server {
  const url = `${target.url}${chat.path}`;
  const request = postRequest(url, chat.body, headers);
  return {
    name,
    async measure(options) {
      const before = processCpuMs(target.pid) ?? Number.NaN;
      const figures = await load({ ...options, urls: [url], next: () => request, status: 200 });
      const cpuMs = ((processCpuMs(target.pid) ?? Number.NaN) - before) / figures.requests;
      return { ...figures, cpuMs };
    },
  };
}
