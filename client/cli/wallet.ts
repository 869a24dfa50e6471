import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Wallet } from 'ethers';
import { faultOf } from '../chain-provider.ts';
import { createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import { openToken, shownUnits } from '../token.ts';
import { readKey } from './key.ts';
import { type CommandOutcome, exitCodes, usageFault } from './outcome.ts';
import { faultSentence } from './report.ts';
import type { CommandContext, GlobalOptions } from './settings.ts';
import { visible } from './visible.ts';

/** `wallet`: the payer's address, and what it holds where a chain is named. */
export async function wallet(context: CommandContext, options: GlobalOptions): Promise<CommandOutcome> {
  const key = readKey(options.keyFile, context.environment);
  if (!key.ok) return usageFault(key.message);
  const { address } = key.wallet;
  const head = [`address  ${address}`, `key      ${key.from}`];
  const known = { kind: 'wallet', address, keyFrom: key.from };
  if (options.rpc === undefined) {
    const text = [...head, 'balance  not asked: name a node of the chain with --rpc <url>'].join('\n');
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

/** `wallet new <file>`: makes a key that only this user can read. A file that exists is never touched. */
export function newWallet(file: string): CommandOutcome {
  const { address, privateKey } = Wallet.createRandom();
  try {
    makeFolder(resolve(dirname(file)));
    writeFileSync(file, `${privateKey}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return usageFault(
      exists ? `${file} exists: a key is never overwritten` : `${file} cannot be written: ${faultOf(error)}`,
    );
  }
  const json = { kind: 'wallet', address, keyFrom: file };
  return { exitCode: exitCodes.done, json, text: `address  ${address}\nkey      ${file}` };
}

/** One by one: where the system makes no folder, as in /proc, Node's `recursive` tries for ever. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Which token is paid in, only an offer says: one is asked for and left unpaid. */
async function findToken(url: string, signal: AbortSignal): Promise<{ address: string } | { fault: string }> {
  const client = createClient({ baseUrl: url, ...noSigner });
  const listed = await client.models({ signal });
  if (listed.kind !== 'models') return { fault: faultSentence(listed, url) };
  const [first] = listed.models;
  if (first === undefined) return { fault: `${url} lists no models, so that no offer names its token` };
  const quoted = await client.quote({ model: first.id, prompt: '-', max_tokens: 1 }, { signal });
  if (quoted.kind === 'offer') return { address: quoted.offer.asset };
  return { fault: faultSentence(quoted, url) };
}

/** A node that is away is another thing than a token that answers strangely. */
function chainFault(error: unknown): string {
  const why = faultOf(error);
  return /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|timeout/i.test(why)
    ? `the node of --rpc cannot be reached (${why}). Start it, or name another one`
    : `the chain does not say it: ${why}`;
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
