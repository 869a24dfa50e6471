import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHttpRpc } from '../../chain/http-rpc.ts';
import { nestSettings } from '../../config/advanced.ts';
import type { Devnet } from '../../devnet/devnet.ts';
import { freshKey, fundGas, type Key } from '../../devnet/funded-key.ts';
import { ledgerEnvironment } from '../../testing/proof/ledger-environment.ts';
import { startTarget, type Target } from '../measure/target.ts';

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));

export const model = 'alder/alder-mini';

export type GatewayTarget = {
  readonly name: string;
  readonly devnet: Devnet;
  /** Folder for the settings, the catalog and the store. */
  readonly folder: string;
};

/** Rate limits are off, because all load comes from one address. Everything else is as an operator gets it. */
const settings = {
  addressRateLimit: null,
  addressConnectionsMax: null,
  payerRateLimit: null,
  refusalRateLimit: null,
};

/** Starts the gateway that an operator runs, on a devnet, with its own relayer. */
export async function startGatewayTarget({ name, devnet, folder }: GatewayTarget): Promise<Target> {
  const pricing = { input_per_million: '0', output_per_million: '0', minimum: '1000' };
  const sold = {
    id: model,
    created: 1_700_000_000,
    owned_by: 'alder',
    context_length: 8_192,
    max_output_tokens: 2_048,
    pricing,
    engine: 'reference',
  };
  const [catalog, file] = [join(folder, `${name}-catalog.json`), join(folder, `${name}.yaml`)];
  writeFileSync(catalog, JSON.stringify({ models: [sold] }));
  writeFileSync(file, JSON.stringify(nestSettings(settings)));
  const relayer = await freshRelayer(devnet);
  return startTarget(name, program, ['--json', '--config', file], {
    PORT: '0',
    DATABASE_FILE: join(folder, `${name}.db`),
    CATALOG_FILE: catalog,
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: relayer.privateKey,
    ...ledgerEnvironment(devnet.ledger),
  });
}

/** Creates an account with ether, so that each server under test has a relayer of its own. */
export async function freshRelayer({ rpcUrl }: Devnet): Promise<Key> {
  const relayer = freshKey();
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 10_000, responseBytesMax: 65_536 });
  await fundGas(rpc, relayer.address);
  await rpc.close();
  return relayer;
}
