import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chainId } from '@paid-inference/contract/constants';
import { loadConfig } from './config/load.ts';
import { settingsTable } from './config/table.ts';
import { createLog } from './observe/log.ts';
import { type RunningGateway, startGateway } from './start.ts';
import { systemClock } from './vocabulary/clock.ts';

const help = `Runs the gateway until it is interrupted.

Usage: npm start -- [--config <file>] [--json]

  --config <file>  settings in YAML; gateway.yaml is read where it exists
  --json           write one JSON line to standard output when ready, and nothing else
  --settings       print every setting with its default
  --help           this text

Without a chain in the settings an embedded devnet is started, with a token and a funded payer.
Exit codes: 0 stopped, 1 could not start, 2 wrong usage or settings.`;

const exitCode = { failed: 1, usage: 2 } as const;
const settingsFile = 'gateway.yaml';
const impatienceMs = 1_000;

await run();

async function run(): Promise<void> {
  const options = readArguments();
  if (options === null) return;
  const file = options.config ?? (existsSync(settingsFile) ? settingsFile : null);
  const loaded = loadConfig(file, process.env);
  if (!loaded.ok) return giveUp('The settings are wrong:', loaded.fault, exitCode.usage);
  const log = createLog(loaded.value.config.logLevel);
  let started: Awaited<ReturnType<typeof startGateway>>;
  try {
    started = await startGateway({ ...loaded.value, environment: process.env, log });
  } catch (cause) {
    return giveUp('The gateway cannot start:', [sentenceOf(cause)], exitCode.failed);
  }
  if (!started.ok) return giveUp('The gateway cannot start:', started.fault, exitCode.failed);
  const gateway = started.value;
  stopOnSignal(gateway);
  console.log(options.json ? JSON.stringify(readyEvent(gateway)) : welcome(gateway));
}

function readArguments(): { config?: string; json: boolean } | null {
  try {
    const { values } = parseArgs({
      options: {
        config: { type: 'string' },
        json: { type: 'boolean', default: false },
        settings: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help && !values.settings) return values;
    console.log(values.settings ? settingsTable() : help);
  } catch (cause) {
    giveUp('Wrong usage:', [sentenceOf(cause), 'npm start -- --help says what there is'], exitCode.usage);
  }
  return null;
}

function stopOnSignal(gateway: RunningGateway): void {
  let askedAt: number | null = null;
  const stop = () => {
    const now = systemClock.monotonicMs();
    // Asked again, it stops without waiting; the ledger knows what was under way. A signal to the whole process group
    // comes twice, from the terminal and from npm, and that is one wish.
    if (askedAt !== null && now - askedAt >= impatienceMs) process.exit(exitCode.failed);
    if (askedAt !== null) return;
    askedAt = now;
    gateway.stop().then(
      () => process.exit(0),
      (cause: unknown) => giveUp('The gateway did not stop cleanly:', [sentenceOf(cause)], exitCode.failed),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function giveUp(headline: string, faults: readonly string[], code: number): void {
  console.error([headline, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  process.exit(code);
}

function sentenceOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}: another program listens there; set PORT to a free one, or to 0`;
  return message;
}

/** For the script that started us. */
function readyEvent({ url, chain }: RunningGateway): object {
  const { devnet, asset, tokenName, payTo } = chain;
  return {
    event: 'ready',
    url,
    chain: { id: chainId, rpcUrl: devnet?.rpcUrl ?? null },
    token: devnet?.token ?? { address: asset, name: tokenName },
    payTo,
    payer: devnet && { address: devnet.payer.address, keyFile: devnet.payer.keyFile },
  };
}

/** For the person who started us. */
function welcome({ url, chain, modelIds }: RunningGateway): string {
  const { devnet, asset, tokenName, payTo, relayer } = chain;
  const at = url === 'http://127.0.0.1:8402' ? '' : `--url ${url} `;
  const keyFile = devnet?.payer.keyFile;
  const key = keyFile && keyFile !== '.data/devnet/payer.key' ? `--key-file ${keyFile} ` : '';
  return `
  Paid inference gateway    ${url}
  Chain                     eip155:${chainId}${devnet ? `, embedded devnet at ${devnet.rpcUrl}` : ''}
  Token                     ${tokenName} at ${asset}
  Paid to                   ${payTo}, relayed by ${relayer}
  Models                    ${modelIds.length}, such as ${modelIds[0]}
${devnet ? `  Payer for trying          ${devnet.payer.address}, key in ${keyFile}\n` : ''}
  Buy an answer:            npm run chat -- ${at}${key}"What is 6 times 7?"
  Test it:                  npm run conformance -- ${url}
  Stop:                     Ctrl-C
`;
}
