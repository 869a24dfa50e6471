import type { Typed } from './configuration.ts';

/** Numbers of the command line, or the fault of the first invalid number. */
export type Numbers =
  | {
      readonly ok: true;
      readonly timeoutMs: number;
      readonly deadlineSeconds: number | undefined;
      readonly rate: number | undefined;
      readonly seed: number | undefined;
      readonly payments: number | undefined;
    }
  | { readonly ok: false; readonly usage: string };

const timeoutMsMax = 600_000;
const deadlineSecondsMax = 86_400;
const rateMax = 1_000;
const paymentsMaxLargest = 1_000;

export function readNumbers(typed: Typed): Numbers {
  const timeoutMs = wholeNumber(typed.timeoutMs, 1, timeoutMsMax);
  const deadlineSeconds = wholeNumber(typed.deadlineSeconds, 1, deadlineSecondsMax);
  const rate = decimal(typed.rate);
  const seed = wholeNumber(typed.seed, -(2 ** 31), 2 ** 31 - 1);
  const payments = wholeNumber(typed.maxPayments, 0, paymentsMaxLargest);
  const fault = (usage: string): Numbers => ({ ok: false, usage });
  if (timeoutMs === undefined || Number.isNaN(timeoutMs)) {
    return fault(`--timeout-ms must be a whole number from 1 to ${timeoutMsMax}`);
  }
  if (Number.isNaN(deadlineSeconds)) {
    return fault(`--deadline-seconds must be a whole number from 1 to ${deadlineSecondsMax}`);
  }
  if (rate !== undefined && !(rate > 0 && rate <= rateMax)) {
    return fault(`--rate must be a number of requests per second, above 0 and up to ${rateMax}`);
  }
  if (Number.isNaN(seed)) return fault('--seed must be a signed 32-bit integer, as a report names it');
  if (Number.isNaN(payments))
    return fault(`--max-payments must be a whole number from 0 to ${paymentsMaxLargest}`);
  return { ok: true, timeoutMs, deadlineSeconds, rate, seed, payments };
}

/** Undefined if the option is absent; NaN if its value is no whole number within the bounds. */
function wholeNumber(text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : Number.NaN;
}

function decimal(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
}
