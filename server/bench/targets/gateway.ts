import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '@paid-inference/contract/constants';
import { createHttpRpc } from '../../chain/http-rpc.ts';
import { nestSettings } from '../../config/advanced.ts';
import type { Devnet } from '../../devnet/devnet.ts';
import { freshKey, fundGas, type Key } from '../../devnet/funded-key.ts';
import type { LedgerNetwork } from '../../devnet/ledger-network.ts';
import { ledgerEnvironment } from '../../testing/proof/ledger-environment.ts';
import { type Program, startTarget, type Target } from '../measure/target.ts';
import { price } from './payments.ts';

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));

export const model = 'alder/alder-mini';

/** A paid request of the benchmark, to any server. */
export const chat = {
  path: endpoints.createChatCompletion.path,
  body: JSON.stringify({ model, messages: [{ role: 'user', content: 'ping' }], max_tokens: 16 }),
};

export type GatewayTarget = Pick<Program, 'isProbed' | 'readyMsMax'> & {
  /** Starts with `gateway`, which colours the bars of the chart. */
  readonly name: string;
  readonly devnet: Devnet;
  /** Folder for the settings, the catalog and the store. */
  readonly folder: string;
  /** The proof ledger of the store; by default the devnet's, which only one store may use. */
  readonly ledger?: LedgerNetwork;
  /** The base URL of the model; by default the reference engine responds at once. */
  readonly upstream?: string;
  /** The variables of the store, and others; by default the store is a SQLite file with the target's name. */
  readonly store?: Readonly<Record<string, string>>;
  /** One by default. */
  readonly relayers?: number;
};

/** Rate limits are off, because all load comes from one address. Everything else is as an operator gets it. */
const settings = {
  addressRateLimit: null,
  addressConnectionsMax: null,
  payerRateLimit: null,
  refusalRateLimit: null,
};

/** The variables and the options of Node in `npm start` (D-255). */
const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const startScript: string = manifest.scripts.start;
const startEnvironment = {
  ...Object.fromEntries(
    [...startScript.matchAll(/([A-Z_]+)=(\S+) /g)].map(([, name, value]) => [name, value]),
  ),
  NODE_OPTIONS: startScript.match(/--[\w-]+=\w+/g)?.join(' ') ?? '',
};

/** Starts the gateway that an operator runs, on a devnet, with its own relayers. */
export async function startGatewayTarget(target: GatewayTarget): Promise<Target> {
  const { name, devnet, folder, ledger = devnet.ledger, upstream, store, relayers = 1, ...start } = target;
  const [catalog, file] = [join(folder, `${name}-catalog.json`), join(folder, `${name}.yaml`)];
  writeFileSync(catalog, JSON.stringify({ models: [catalogEntry(upstream)] }));
  const own = upstream === undefined ? settings : { ...settings, upstreamConnections };
  writeFileSync(file, JSON.stringify(nestSettings(own)));
  const keys = await Promise.all(Array.from({ length: relayers }, () => freshRelayer(devnet)));
  const environment = {
    ...startEnvironment,
    PORT: '0',
    ...(store ?? { DATABASE_FILE: join(folder, `${name}.db`) }),
    CATALOG_FILE: catalog,
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: keys.map(({ privateKey }) => privateKey).join(','),
    ...ledgerEnvironment(ledger),
  };
  const parameters = ['--json', '--config', file];
  return startTarget({ ...start, name, program, parameters, environment });
}

/** As many as the most requests at once. With fewer, the gateway would refuse requests to a slow model. */
const upstreamConnections = 256;

function catalogEntry(upstream: string | undefined): object {
  return {
    id: model,
    created: 1_700_000_000,
    owned_by: 'alder',
    context_length: 8_192,
    max_output_tokens: 2_048,
    pricing: { input_per_million: '0', output_per_million: '0', minimum: price },
    ...(upstream === undefined
      ? { engine: 'reference' }
      : { engine: 'openai', upstream: { base_url: upstream, model } }),
  };
}

/** Creates an account with ether, so that each server under test has a relayer of its own. */
export async function freshRelayer({ rpcUrl }: Devnet): Promise<Key> {
  const relayer = freshKey();
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 10_000, responseBytesMax: 65_536 });
  await fundGas(rpc, relayer.address);
  await rpc.close();
  return relayer;
}
