import type { Admission } from '../http/rate-limit.ts';
import { errorReply, type FinishedReply } from '../http/reply.ts';
import type { FindSiteRoute, SiteRoute } from '../http/site-route.ts';
import type { Address } from '../types/units.ts';
import type { AdmitSite } from './admit-site.ts';
import { type BuiltFiles, createBuiltFiles } from './built-files.ts';
import { type DevnetPayer, devnetWalletRoute } from './devnet-wallet.ts';
import type { SiteFacts } from './facts.ts';
import { assetRoute, htmlRoute } from './files.ts';
import { describeForAgents } from './llms-text.ts';
import { nonceUse, proofRecord } from './node-calls.ts';
import { nodeRoute, type SiteNode } from './nodes.ts';
import { type FindPayment, paymentRoute } from './payments.ts';

export type SitePorts = {
  readonly readFacts: () => Promise<SiteFacts>;
  readonly findPayment: FindPayment;
  readonly payTo: Address;
  readonly nodes: { readonly payments: SiteNode; readonly proofs: SiteNode };
  /** Null on a real chain, where the gateway has no payer (D-375). */
  readonly devnetPayer: DevnetPayer | null;
  /** Counts one request for data that costs a call of a node or of the store. */
  readonly admit: (network: string) => Promise<Admission>;
};

/** The folder that `npm run build:web` fills. */
const builtFolder = new URL('built/', import.meta.url);

/**
 * The web page: views for browsers, and the data that the views show. Its paths are not in the contract, because only the
 * page of the same version uses them (D-371).
 */
export function createSite(ports: SitePorts): FindSiteRoute {
  const files = createBuiltFiles(builtFolder);
  const admit: AdmitSite = async (network) => {
    const admission = await ports.admit(network);
    if (admission.admitted) return null;
    return errorReply(
      'rate_limited',
      'Too many requests of this page; wait the seconds of Retry-After.',
      admission,
    );
  };
  const fixed = fixedRoutes(ports, files, admit);
  return (path) => fixed.get(path) ?? findByPrefix(path, ports, files, admit);
}

function fixedRoutes(
  { readFacts, nodes, devnetPayer, payTo }: SitePorts,
  files: BuiltFiles,
  admit: AdmitSite,
): ReadonlyMap<string, SiteRoute> {
  const app = htmlRoute(files, 'index.html');
  const presentFacts = async (): Promise<FinishedReply> => ({
    status: 200,
    headers: { 'Cache-Control': 'no-cache' },
    body: await readFacts(),
  });
  const facts: SiteRoute = { method: 'GET', respond: presentFacts };
  const agents: SiteRoute = {
    method: 'GET',
    async respond() {
      const bytes = Buffer.from(describeForAgents(await readFacts()));
      const file = { type: 'text/plain; charset=utf-8', bytes };
      return { status: 200, headers: { 'Cache-Control': 'no-cache' }, body: null, file };
    },
  };
  const routes: [string, SiteRoute][] = [
    ['/', htmlRoute(files, 'index.html', presentFacts)],
    ['/try', app],
    ['/explorer', app],
    ['/docs', htmlRoute(files, 'docs.html')],
    ['/llms.txt', agents],
    ['/web/facts.json', facts],
    ['/web/nodes/payments', nodeRoute(nodes.payments, nonceUse, admit)],
    ['/web/nodes/proofs', nodeRoute(nodes.proofs, proofRecord, admit)],
  ];
  if (devnetPayer !== null) routes.push(['/web/devnet-wallet', devnetWalletRoute(devnetPayer, payTo)]);
  return new Map(routes);
}

/** Routes with an id in their path. */
function findByPrefix(
  path: string,
  { findPayment }: SitePorts,
  files: BuiltFiles,
  admit: AdmitSite,
): SiteRoute | null {
  if (/^\/(?:tx|payment|proof)\/[^/]+$/.test(path)) return htmlRoute(files, 'id.html');
  const [, asset] = /^\/web\/(assets\/[\w.-]+)$/.exec(path) ?? [];
  if (asset !== undefined) return assetRoute(files, asset);
  const [, nonce] = /^\/web\/payments\/([^/]+)$/.exec(path) ?? [];
  return nonce === undefined ? null : paymentRoute(nonce, findPayment, admit);
}
