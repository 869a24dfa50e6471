import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { type Context, createContext, type Run } from '../context/context.ts';
import {
  bodyFor,
  completionBody,
  type PaidEndpoint,
  plainChat,
  plainText,
  validRequest,
} from '../sources/bodies.ts';
import { describe, judgeTransient, readError } from '../sources/judgements.ts';
import { unpaid } from '../sources/sources.ts';
import type { Found } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';
import { asOneLine } from '../wire/one-line.ts';
import { modelsIn } from './discover.ts';

/**
 * Requests for the model in several forms. A gateway that rejects only some of the forms is at fault, and the
 * checks judge it (D-149).
 */
function listForms(context: Context): Readonly<Record<PaidEndpoint, readonly Form[]>> {
  const { model } = context;
  const settlementType = { [headerNames.settlementType]: 'batch' };
  return {
    chat: [
      () => unpaid(context, 'chat'),
      () => context.ask(validRequest('chat', plainChat(model))),
      () => context.ask(validRequest('chat', bodyFor('chat', model), settlementType)),
    ],
    completions: [
      () => context.ask(validRequest('completions', completionBody(model))),
      () => context.ask(validRequest('completions', plainText(model))),
    ],
  };
}

type Form = () => Promise<Found<Answered>>;

/**
 * The first run whose model the target accepts at both endpoints, in at least one form each. Otherwise the first one whose
 * model it accepts at one endpoint, or the first run. A list may name models that the target does not sell (D-201), or sells
 * at one endpoint only (D-454).
 */
export async function firstSold(runs: readonly Run[]): Promise<Run | undefined> {
  let sold = runs[0];
  let most = 0;
  for (const run of runs.length > 1 ? runs : []) {
    const { chat, completions } = listForms(createModelContext(run));
    const count = Number(await isAcceptedInAnyForm(chat)) + Number(await isAcceptedInAnyForm(completions));
    if (count > most) [sold, most] = [run, count];
    if (count === 2) break;
  }
  return sold;
}

function createModelContext(run: Run): Context {
  return createContext(run, 'unpaid.chat.402', new Set());
}

async function isAcceptedInAnyForm(forms: readonly Form[]): Promise<boolean> {
  for (const ask of forms) {
    const asked = await ask();
    if (!asked.ok || !isRefused(asked.value)) return true;
  }
  return false;
}

/** Any status counts, because the contract defines none for an unknown model (§7). */
function isRefused(answered: Answered): boolean {
  const { status } = answered.outcome;
  return status >= 400 && status < 500 && ![401, 402, 403].includes(status) && !judgeTransient(answered);
}

/**
 * Describes the refusal if the target does not serve the model, otherwise undefined. Every request names the
 * model, so an unknown model would fail 150 checks. The checks reuse these responses. A target that demanded a payment in
 * any response is a gateway, and is judged.
 */
export async function modelFault(run: Run): Promise<string | undefined> {
  const context = createModelContext(run);
  const refusals: Answered[] = [];
  for (const ask of Object.values(listForms(context)).flat()) {
    const asked = await ask();
    if (!asked.ok || !isRefusedForModel(asked.value)) return undefined;
    refusals.push(asked.value);
  }
  const [, plain] = refusals;
  const isGateway = context
    .everything()
    .some(({ outcome }) => outcome.kind === 'response' && outcome.status === 402);
  if (!plain || isGateway || (await isServedModel(context, plain))) return undefined;
  return `the target does not serve the model "${run.model}" (${said(plain)}). Name another model with --model`;
}

/** A target that names another `param` than the model (D-08) is at fault itself, and the checks judge it. */
function isRefusedForModel({ outcome }: Answered): boolean {
  const parameter = readError(outcome.body)?.['param'];
  return outcome.status === 400 && (typeof parameter !== 'string' || parameter === 'model');
}

/**
 * Whether the target says that it serves the model: its list contains the model, or there is no list and the
 * refusal does not mention the model.
 */
async function isServedModel(context: Context, refusal: Answered): Promise<boolean> {
  const { method, path } = endpoints.listModels;
  const listed = await context.ask({ method, path });
  const models = listed.ok && listed.value.outcome.status === 200 ? modelsIn(listed.value.outcome.body) : [];
  if (models.length > 0) return models.includes(context.model);
  const { message, type, code, param } = readError(refusal.outcome.body) ?? {};
  const isOfContract = [message, type, code].every((part) => typeof part === 'string');
  return isOfContract && param !== 'model' && ![message, code].some((part) => /model/i.test(String(part)));
}

function said(answered: Answered): string {
  const message = readError(answered.outcome.body)?.['message'];
  const status = describe(answered);
  return typeof message === 'string' ? `${status}: ${asOneLine(message)}` : status;
}
