import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Wallet } from 'ethers';
import { describeFault } from '../chain-provider.ts';
import { createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import { openToken, shownUnits } from '../token.ts';
import { readKey } from './key.ts';
import { type CommandOutcome, exitCodes, usageFault } from './outcome.ts';
import { faultSentence } from './report.ts';
import type { CommandContext, GlobalOptions } from './settings.ts';
import { visible } from './visible.ts';

/** `wallet`: shows the payer's address, and its balance when an RPC endpoint is given. */
export async function wallet(context: CommandContext, options: GlobalOptions): Promise<CommandOutcome> {
  const key = readKey(options.keyFile, context.environment);
  if (!key.ok) return usageFault(key.message);
  const { address } = key.wallet;
  const head = [`address  ${address}`, `key      ${key.from}`];
  const known = { kind: 'wallet', address, keyFrom: key.from };
  if (options.rpc === undefined) {
    const text = [...head, 'balance  unknown: name an RPC endpoint of the chain with --rpc <url>'].join('\n');
    return { exitCode: exitCodes.done, json: { ...known, token: null, balance: null }, text };
  }
  const asset = await findToken(options.url, context.signal);
  if ('fault' in asset) return unknownBalance(known, asset.fault);
  const token = openToken(options.rpc, asset.address);
  try {
    const [terms, balance] = await Promise.all([token.terms(), token.balanceOf(address)]);
    const text = [...head, `token    ${asset.address}`, `balance  ${shownUnits(balance, terms)}`].join('\n');
    const json = { ...known, token: { address: asset.address, ...terms }, balance: String(balance) };
    return { exitCode: exitCodes.done, json, text: visible(text) };
  } catch (error) {
    return unknownBalance(known, chainFault(error));
  } finally {
    token.close();
  }
}

/** `wallet new <file>`: makes a key in a file with mode 600. Never touches an existing file. */
export function newWallet(file: string): CommandOutcome {
  const { address, privateKey } = Wallet.createRandom();
  try {
    makeFolder(resolve(dirname(file)));
    writeFileSync(file, `${privateKey}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    // On a full disk the file may exist without its key, and the next attempt would refuse its name.
    if (!exists) rmSync(file, { force: true });
    return usageFault(
      exists
        ? `${file} exists, and a key is never overwritten. Name a new file`
        : `${file} cannot be written: ${describeFault(error)}`,
    );
  }
  const json = { kind: 'wallet', address, keyFrom: file };
  return { exitCode: exitCodes.done, json, text: `address  ${address}\nkey      ${file}` };
}

/**
 * Makes the folders one by one: Node's `recursive` never ends where the system refuses a folder, as in /proc.
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Finds the payment token, which only an offer names: asks for an offer and does not pay it. */
async function findToken(url: string, signal: AbortSignal): Promise<{ address: string } | { fault: string }> {
  const client = createClient({ baseUrl: url, ...noSigner });
  const listed = await client.models({ signal });
  if (listed.kind !== 'models') return { fault: faultSentence(listed, url) };
  const [first] = listed.models;
  if (first === undefined)
    return { fault: `${url} lists no models, and without a model there is no offer that names the token` };
  const quoted = await client.quote({ model: first.id, prompt: '-', max_tokens: 1 }, { signal });
  if (quoted.kind === 'offer') return { address: quoted.offer.asset };
  return { fault: faultSentence(quoted, url) };
}

/** Tells an unreachable node from a token call that failed. */
function chainFault(error: unknown): string {
  const why = describeFault(error);
  return /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|timeout/i.test(why)
    ? `the node of --rpc cannot be reached (${why}). Start it, or name another one`
    : `the call of the token failed: ${why}`;
}

function unknownBalance(known: { readonly address: string }, why: string): CommandOutcome {
  const json = { ...known, token: null, balance: null, message: why };
  return {
    exitCode: exitCodes.unknown,
    json,
    text: `address  ${known.address}`,
    fault: `the balance is unknown: ${why}`,
  };
}
