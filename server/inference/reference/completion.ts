import { findCalculation, shownNumber } from './arithmetic.ts';
import type { Conversation } from './conversation.ts';
import { completeCounting, continueSeries } from './counting.ts';
import { findEcho } from './echo.ts';
import { writeContinuation, writeParagraph } from './paragraph.ts';
import { completeFromConversation } from './recall.ts';
import { tellResults } from './tool-results.ts';
import type { Wording } from './wording.ts';

/** Answers a chat in text, by the first rule that applies. */
export function completeChat(conversation: Conversation, wording: Wording): string {
  const { question, instruction, results } = conversation;
  const completion =
    (results.length > 0 ? tellResults(results) : null) ??
    completeByRule(question) ??
    completeFromConversation(conversation) ??
    writeParagraph(conversation, wording);
  return inStyle(completion, instruction);
}

/** Continues a prompt. */
export function continuePrompt(prompt: string, wording: Wording): string {
  return continueSeries(prompt) ?? completeByRule(prompt) ?? writeContinuation(prompt, wording);
}

function completeByRule(text: string): string | null {
  return findEcho(text) ?? completeCounting(text) ?? completeCalculation(text);
}

/**
 * Matches a request for a calculation. Without one, only a bare sum is computed, because a text may contain
 * number ranges.
 */
const sumAsked =
  /\b(?:what(?:'s|’s| is| are)|calculate|compute|how much|solve|evaluate|result of|add|work out)\b|=\s*\??\s*$/i;

function completeCalculation(text: string): string | null {
  const head = text.slice(0, 1_000).trim();
  const calculation = findCalculation(head);
  if (calculation === null) return null;
  const isBare = !/\p{L}/u.test(head);
  if (!isBare && !sumAsked.test(head)) return null;
  const result = calculation.result === null ? 'undefined' : shownNumber(calculation.result);
  if (/=\s*\??$/.test(head)) return result;
  if (/\b(?:only|just)\b.{0,30}\b(?:number|result|answer|digits?)\b/i.test(head)) return result;
  return `${calculation.expression} ${calculation.result === null ? 'is' : '='} ${result}.`;
}

/** Applies the two instructions of a system message that rules can follow. */
function inStyle(completion: string, instruction: string): string {
  const head = instruction.slice(0, 2_000);
  if (/\b(?:upper ?case|all caps|capital letters)\b/i.test(head)) return completion.toUpperCase();
  if (/\blower ?case\b/i.test(head)) return completion.toLowerCase();
  return completion;
}
