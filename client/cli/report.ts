import type { ChatCompletion, TextCompletion } from '@paid-inference/contract/types';
import type { PaymentOutcome } from '../payment/outcome.ts';
import type { Failed, PaidResult, Refused, Unreached } from '../result.ts';
import { asTyped } from './as-typed.ts';
import { type CommandOutcome, exitCodes } from './outcome.ts';
import { visible } from './visible.ts';

/** The outcome of a paying command. */
export function reportPurchase(
  result: PaidResult<ChatCompletion | TextCompletion>,
  url: string,
): CommandOutcome {
  if (result.kind === 'completion') {
    const { completion, receiptFault, payment } = result;
    const text = visible(completion.choices.map(formatChoice).join('\n\n'));
    if (receiptFault === null) return { exitCode: exitCodes.done, json: result, text };
    const fault = `The response proves no payment: ${sentence(receiptFault)}${mayBeCharged(payment) ?? ''}`;
    return { exitCode: exitCodes.unknown, json: result, text, fault };
  }
  if (result.kind === 'refused') return reportRefused(result);
  return reportFault(result, url);
}

/** The outcome of a call that got an error response or no response. */
export function reportFault(result: Failed | Unreached, url: string): CommandOutcome {
  const isKnown = mayBeCharged(result.payment) === null && result.kind !== 'network';
  const exitCode = isKnown ? exitCodes.refused : exitCodes.unknown;
  return { exitCode, json: result, fault: faultSentence(result, url) };
}

/** Describes an error in a sentence and says what to do. */
export function faultSentence(result: Failed | Unreached, url: string): string {
  const unknown = mayBeCharged(result.payment);
  if (result.kind === 'network') {
    const what = `no response from ${url}: ${result.message}.`;
    const hint =
      unknown ??
      settledWithoutCompletion(result.payment) ??
      (result.message === 'ECONNREFUSED' ? asTyped(' Is the gateway running? "npm start" starts one.') : '');
    return what + hint;
  }
  const { status, code, param, message, retryAfterSeconds } = result;
  const where = [status, code, param].filter((part) => part !== null).join(' ');
  return `${sentence(message)} [${where}]${unknown ?? wayOut(code, retryAfterSeconds)}`;
}

function reportRefused(result: Refused): CommandOutcome {
  const unknown = mayBeCharged(result.payment);
  const exitCode = unknown === null ? exitCodes.refused : exitCodes.unknown;
  return { exitCode, json: result, fault: sentence(result.message) + (unknown ?? refusalWayOut(result)) };
}

function refusalWayOut({ reason, offer }: Refused): string {
  if (offer === null) return '';
  if (reason === 'price_above_limit') return ` To pay it: --max-price ${offer.maxAmountRequired}`;
  if (reason !== 'resource_elsewhere') return '';
  const offered = URL.parse(offer.resource);
  if (offered === null) return '';
  return ` If that is the gateway you mean: --url ${offered.origin}, or --resource-host ${offered.host}`;
}

function wayOut(code: string | null, retryAfterSeconds: number | null): string {
  if (code === 'insufficient_funds') {
    return asTyped(' "npm run wallet -- --rpc <url of a node of the chain>" shows the balance.');
  }
  return retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`;
}

/** Null when the payment is known to be charged or not charged. */
function mayBeCharged(payment: PaymentOutcome): string | null {
  if (payment.state !== 'maybe-charged') return null;
  const { nonce, validBefore } = payment.authorization;
  const until = new Date(validBefore * 1000).toISOString();
  return ` You may have been charged: the authorization with nonce ${nonce} can be settled until ${until}. Running the command again signs another authorization.`;
}

/** Null unless a receipt came and no whole completion. */
function settledWithoutCompletion(payment: PaymentOutcome): string | null {
  if (payment.state !== 'settled') return null;
  return ` You have paid: transaction ${payment.receipt.txHash}. The gateway owes the completion to the authorization with nonce ${payment.authorization.nonce}. Running the command again signs another authorization.`;
}

function formatChoice(choice: ChatCompletion['choices'][number] | TextCompletion['choices'][number]): string {
  if ('text' in choice) return choice.text;
  const { content, tool_calls: calls = [] } = choice.message;
  const called = calls.map(({ function: { name, arguments: given } }) => `${name}(${given})`);
  return [...(content === null ? [] : [content]), ...called].join('\n');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
