import type {
  ChatCompletion,
  ChatCompletionRequest,
  CompletionRequest,
  TextCompletion,
} from '@paid-inference/contract/types';
import { describeFault } from '../chain-provider.ts';
import { type Client, createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import type { PaymentSigner } from '../payment/authorization.ts';
import type { PaidResult } from '../result.ts';
import { openToken, shownUnits, type TokenTerms } from '../token.ts';
import { createExchangeFile, type ExchangeFile } from './exchange-file.ts';
import { readKey } from './key.ts';
import { checkOnChain } from './on-chain.ts';
import { type CommandOutcome, exitCodes, usageFault } from './outcome.ts';
import { reportFault, reportPurchase } from './report.ts';
import type { CommandContext, PurchaseOptions } from './settings.ts';
import { describeStep } from './steps.ts';
import { visibleLine } from './visible.ts';

/** The body of the request and the call that buys it, for a given model. */
export type Order = {
  body(model: string): ChatCompletionRequest | CompletionRequest;
  buy(client: Client, model: string): Promise<PaidResult<ChatCompletion | TextCompletion>>;
};

/** The highest price that needs no confirmation: the cap of common x402 clients (D-16). */
export const priceMaxDefault = 100_000n;

/** The limits of a proxy unless others are named, in the token's smallest unit (D-291). */
export const amountPerHourMaxDefault = 10n * priceMaxDefault;
export const amountTotalMaxDefault = 100n * priceMaxDefault;

/** Buys one completion and prints each step. */
export async function purchase(
  context: CommandContext,
  options: PurchaseOptions,
  order: Order,
): Promise<CommandOutcome> {
  const key = readKey(options.keyFile, context.environment);
  if (!key.ok) return usageFault(key.message);
  const file = options.save === undefined ? null : createExchangeFile(options.save);
  if (typeof file === 'string') return usageFault(file);
  try {
    const outcome = await buy(context, options, order, key.wallet, file);
    const fault = file?.fault ?? null;
    if (fault === null) return outcome;
    const all = outcome.fault === undefined ? fault : `${outcome.fault} ${fault}`;
    return { ...outcome, exitCode: exitCodes.unknown, fault: all };
  } finally {
    file?.close();
  }
}

async function buy(
  context: CommandContext,
  options: PurchaseOptions,
  order: Order,
  signer: PaymentSigner,
  file: ExchangeFile | null,
): Promise<CommandOutcome> {
  const looking = createClient({ baseUrl: options.url, ...noSigner });
  const chosen = await chooseModel(looking, context, options);
  if (typeof chosen !== 'string') return chosen;
  const terms = await readTerms(looking, context, options, order.body(chosen));

  const limit = options.maxPrice ?? priceMaxDefault;
  const result = await order.buy(clientFor(context, options, signer, limit, terms, file), chosen);
  if (result.kind !== 'refused' || result.reason !== 'price_above_limit' || result.offer === null) {
    return reportPurchase(await checkOnChain(result, options, context), options.url);
  }
  const price = BigInt(result.offer.maxAmountRequired);
  if (!(await mayExceed(context, options, price, terms))) return reportPurchase(result, options.url);
  const again = clientFor(context, options, signer, price, terms, file);
  const bought = await order.buy(again, chosen);
  return reportPurchase(await checkOnChain(bought, options, context), options.url);
}

function clientFor(
  { terminal }: CommandContext,
  options: PurchaseOptions,
  signer: PaymentSigner,
  limit: bigint,
  terms: TokenTerms | null,
  file: ExchangeFile | null,
): Client {
  return createClient({
    baseUrl: options.url,
    signer,
    rules: {
      // One command buys one completion.
      amountPerRequestMax: limit,
      amountTotalMax: limit,
      resourceHosts: options.resourceHost ?? [],
      ...(options.token !== undefined && { assets: [options.token] }),
      ...(options.payTo !== undefined && { payTo: [options.payTo] }),
    },
    ...(options.settlementType === undefined ? {} : { settlementType: options.settlementType }),
    onStep: (step) => {
      for (const line of describeStep(step, terms, terminal.paint)) terminal.say(line);
    },
    ...(file !== null && { onExchange: file.save }),
  });
}

/** Returns the named model, else the first of the catalog. */
async function chooseModel(
  client: Client,
  { signal }: CommandContext,
  { model, url }: PurchaseOptions,
): Promise<string | CommandOutcome> {
  if (model !== undefined) return model;
  const listed = await client.models({ signal });
  if (listed.kind === 'network') return reportFault(listed, url);
  const [first] = listed.kind === 'models' ? listed.models : [];
  return first?.id ?? usageFault(`${url} lists no models. Name a model with --model <id>`);
}

/** Reads symbol and decimals of the token when an RPC endpoint is given. An offer has only units. */
async function readTerms(
  client: Client,
  { terminal, signal }: CommandContext,
  { rpc }: PurchaseOptions,
  body: ChatCompletionRequest | CompletionRequest,
): Promise<TokenTerms | null> {
  if (rpc === undefined) return null;
  const quoted = await client.quote(body, { signal });
  if (quoted.kind !== 'offer') return null; // The purchase gets and reports the same error.
  const token = openToken(rpc, quoted.offer.asset);
  try {
    return await token.terms();
  } catch (error) {
    terminal.say(
      terminal.paint.yellow(`  the token's decimals are unknown: ${visibleLine(describeFault(error))}`),
    );
    return null;
  } finally {
    token.close();
  }
}

/** The limit of `--max-price` is strict. Above the default limit, `--yes` or the user must agree. */
async function mayExceed(
  { terminal, signal }: CommandContext,
  { maxPrice, yes }: PurchaseOptions,
  price: bigint,
  terms: TokenTerms | null,
): Promise<boolean> {
  if (maxPrice !== undefined) return false;
  if (yes === true) return true;
  const question = `The price is ${shownUnits(price, terms)}, more than ${shownUnits(priceMaxDefault, terms)}. Pay?`;
  return terminal.interactive && terminal.confirm(visibleLine(question), signal);
}
