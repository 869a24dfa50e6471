import { randomBytes } from 'node:crypto';
import { chat, startGatewayTarget } from './gateway.ts';
import type { Payee } from './paid-load.ts';
import { officialName, startOfficial } from './peers.ts';
import type { Setup } from './setup.ts';

type PayeeOptions = {
  /** Follows the name of the server. */
  readonly suffix?: string;
  /** The base URL of the model. */
  readonly upstream?: string;
  readonly isProbed?: boolean;
};

export async function startGatewayPayee(
  setup: Setup,
  { suffix = '', ...options }: PayeeOptions = {},
): Promise<Payee> {
  const name = `gateway${suffix}`;
  const ledger = await setup.startLedger();
  const gateway = await startGatewayTarget({ ...setup, name, ledger, ...options });
  return { name, targets: [setup.keep(gateway)] };
}

export async function startOfficialPayee(
  { devnet, keep }: Setup,
  { suffix = '', ...options }: PayeeOptions = {},
): Promise<Payee> {
  const official = keep(await startOfficial('express', { devnet, ...options }));
  const accepted = await readAccepted(official.url);
  return {
    name: `${officialName('express')}${suffix}`,
    targets: [official],
    header: (payload) => ({
      'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify({ x402Version: 2, ...accepted, payload })).toString(
        'base64',
      ),
    }),
  };
}

/** Starts this many gateways on one new database of PostgreSQL. */
export async function startPostgresPayee(
  setup: Setup,
  databaseUrl: string,
  gateways: number,
): Promise<Payee> {
  const ledger = await setup.startLedger();
  const store = { DATABASE_URL: databaseUrl, COMPLETION_KEY: `0x${randomBytes(32).toString('hex')}` };
  const name = gateways === 1 ? 'gateway, PostgreSQL' : `gateway, ${gateways} processes, PostgreSQL`;
  const targets = [];
  // One after the other, because the first one creates the tables.
  for (let at = 1; at <= gateways; at++)
    targets.push(setup.keep(await startGatewayTarget({ ...setup, name: `${name} ${at}`, ledger, store })));
  return { name, targets };
}

/** The resource and the first option of the official middleware's offer, as its clients send them back. */
async function readAccepted(url: string): Promise<object> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${chat.path}`, { method: 'POST', headers, body: chat.body });
  const offer = JSON.parse(
    Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString(),
  ) as {
    readonly resource: object;
    readonly accepts: readonly object[];
  };
  return { resource: offer.resource, accepted: offer.accepts[0] };
}
