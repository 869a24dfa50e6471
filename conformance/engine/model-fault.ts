import { chatBody, validRequest } from '../checks/bodies.ts';
import { describe, errorOf } from '../checks/judgements.ts';
import { unpaid } from '../checks/sources.ts';
import { asOneLine } from '../wire/one-line.ts';
import type { Answered } from '../wire/session.ts';
import type { Context } from './context.ts';

/**
 * Why nothing can be judged with the model that is asked for, or undefined. Every request of a run names it, so one that
 * the target does not serve would be held against the target 150 times. What is asked here is kept for the checks.
 */
export async function modelFault(context: Context): Promise<string | undefined> {
  const asked = await unpaid(context, 'chat');
  if (!asked.ok || !isRefusedForModel(asked.value)) return undefined;
  // With nothing in it but what is required, a refusal leaves the model alone to blame.
  const { model, messages } = chatBody(context.model);
  const bare = await context.ask(validRequest('chat', { model, messages }));
  if (!bare.ok || !isRefusedForModel(bare.value)) return undefined;
  return `the target does not serve model "${model}" (${said(bare.value)}); name another with --model`;
}

/** A target that names another field than the model (D-08) is at fault itself, and judged. */
function isRefusedForModel({ outcome }: Answered): boolean {
  const parameter = errorOf(outcome.body)?.['param'];
  return outcome.status === 400 && (typeof parameter !== 'string' || parameter === 'model');
}

function said(answered: Answered): string {
  const message = errorOf(answered.outcome.body)?.['message'];
  const status = describe(answered);
  return typeof message === 'string' ? `${status}: ${asOneLine(message)}` : status;
}
