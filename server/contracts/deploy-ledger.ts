import { readFileSync } from 'node:fs';
import { chainId as paymentChainId } from '@paid-inference/contract/constants';
import { ContractFactory, computeAddress, isError, JsonRpcProvider, Wallet } from 'ethers';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { keptByNpm, missingDashes } from '../start/npm-options.ts';
import { parseOptions } from '../start/parse-options.ts';
import { toLine } from '../start/report-faults.ts';
import { readErrorCode } from '../start/start-fault.ts';
import { parseAddress } from '../types/units.ts';
import artifact from './artifacts/InferenceLedger.json' with { type: 'json' };

/** Also a key with a few digits too many or too few. No message may repeat it. */
const looksLikeKey = /[0-9a-f]{48}/i;

const help = `Deploys the inference ledger for a gateway on a real chain. The deploying account is its admin.

Usage: PROOF_LEDGER_RPC_URL=<url> npm run deploy:ledger -- --key-file <file> [--relayer <address>]

  --key-file <file>    private key of the admin, who grants roles, revokes enclave keys and has ether for gas
  --relayer <address>  account of the gateways, which registers enclave keys and records proofs (default: the admin)
  --help               show this text

Prints the settings that a gateway needs. Exit codes: 0 deployed, 1 not deployed, 2 wrong usage.`;

const exitCode = { failed: 1, usage: 2 } as const;
/** A private network mines within seconds. */
const minedDeadlineMs = 120_000;
const responseDeadlineMs = 10_000;
const pollIntervalMs = 250;

const argumentOptions = {
  'key-file': { type: 'string' },
  relayer: { type: 'string' },
  help: { type: 'boolean' },
} as const;

await run();

/** An operator runs this program once for a ledger network. */
async function run(): Promise<void> {
  const options = readOptions();
  if (options === null) return;
  try {
    const { chainId, contract } = await deploy(options);
    console.log(`PROOF_LEDGER_CHAIN_ID=${chainId}\nPROOF_LEDGER_CONTRACT=${contract}`);
  } catch (cause) {
    giveUp(`Not deployed: ${describeFault(cause)}`, exitCode.failed);
  }
}

type Options = { readonly rpcUrl: string; readonly key: string; readonly relayer: string };

async function deploy({ rpcUrl, key, relayer }: Options): Promise<{ chainId: number; contract: string }> {
  // The provider would repeat this call without end if the node is down.
  const chainId = await readChainId(rpcUrl);
  if (chainId === paymentChainId)
    throw new Error(
      `PROOF_LEDGER_RPC_URL serves chain ${chainId}, where payments are. Set it to a node of another chain: the proof ledger needs one of its own.`,
    );
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  provider.pollingInterval = pollIntervalMs;
  const admin = computeAddress(key);
  try {
    if ((await provider.getBalance(admin)) === 0n) throw new Error(noEther(admin, chainId, 'no'));
    const factory = new ContractFactory(artifact.abi, artifact.bytecode, new Wallet(key, provider));
    const contract = await factory.deploy(admin, relayer);
    const deployment = await contract.deploymentTransaction()?.wait(1, minedDeadlineMs);
    if (deployment?.status !== 1) throw new Error('the deployment was not mined');
    return { chainId, contract: await contract.getAddress() };
  } catch (cause) {
    if (isError(cause, 'INSUFFICIENT_FUNDS')) throw new Error(noEther(admin, chainId, 'too little'));
    throw cause;
  } finally {
    provider.destroy();
  }
}

function noEther(admin: string, chainId: number, much: string): string {
  return `the account ${admin} has ${much} ether for gas on chain ${chainId}. Send it ether, and run this command again.`;
}

async function readChainId(url: string): Promise<number> {
  const rpc = createHttpRpc({ url, timeoutMs: responseDeadlineMs, responseBytesMax: 65_536 });
  const response = await rpc.call<unknown>('eth_chainId', []);
  await rpc.close();
  if (!response.ok)
    throw new Error(
      `the node does not respond to eth_chainId (${response.fault.message}). Start the node, or change PROOF_LEDGER_RPC_URL.`,
    );
  return Number(response.value);
}

function readOptions(): Options | null {
  try {
    const kept = keptByNpm(Object.keys(argumentOptions), 'deploy:ledger', process.env);
    if (kept.length > 0) throw new Error(`${missingDashes(kept)}.`);
    const values = parseOptions(argumentOptions);
    if (values.help) {
      console.log(help);
      return null;
    }
    const rpcUrl = process.env['PROOF_LEDGER_RPC_URL'] ?? '';
    if (!/^https?:\/\//.test(rpcUrl) || !URL.canParse(rpcUrl))
      throw new Error('PROOF_LEDGER_RPC_URL must be an http or https URL');
    const key = readKey(values['key-file']);
    const relayer = parseAddress(values.relayer ?? computeAddress(key));
    if (relayer === null) throw new Error('--relayer must be an address of 20 bytes, 0x-prefixed');
    return { rpcUrl, key, relayer };
  } catch (cause) {
    giveUp(`${describeFault(cause)}\nRun npm run deploy:ledger -- --help for the options.`, exitCode.usage);
    return null;
  }
}

function readKey(file: string | undefined): string {
  if (file === undefined)
    throw new Error('--key-file is missing. Set it to the file with the private key of the admin.');
  if (looksLikeKey.test(file)) throw new Error('--key-file is a key, and must name a file that holds one.');
  const text = readText(file).trim();
  const key = text.startsWith('0x') ? text : `0x${text}`;
  // The message must not repeat the value of the key.
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error(`${file} holds no private key of 32 bytes in hex`);
  return key;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(
      `${file} cannot be read (${readErrorCode(cause)}). Set --key-file to the file with the key.`,
    );
  }
}

function giveUp(sentence: string, code: number): void {
  console.error(toLine(sentence));
  process.exitCode = code;
}

/** Uses the short form of a network fault, because the long form may hold the URL with a key in it. */
function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'shortMessage' in cause ? String(cause.shortMessage) : cause.message;
}
