import type { Conversation } from './conversation.ts';
import { cutExcerpt, listed } from './words.ts';

/** The most characters that are read of a question. The questions that rules match are short. */
const questionCharactersMax = 300;
/** The most messages that a summary quotes. */
const quotesMax = 6;
/** The room for each quotation, in characters. */
const quoteRoom = 64;

/** Answers questions about the conversation: the user's statements, `my …`, and summaries. */
export function completeFromConversation({ question, earlier, instruction }: Conversation): string | null {
  const asked = question.slice(0, questionCharactersMax);
  if (/\b(?:summar(?:y|ise|ize)|recap|tl;?dr)\b/i.test(asked)) return summary(question, earlier);
  const own = /\b(?:what(?:'s|’s| is| was| are)|who is|remember|tell me) my ([\p{L}][\p{L} ]{0,40})/iu.exec(
    asked,
  )?.[1];
  if (own !== undefined) return recallOwn(own.trim(), earlier);
  const said = /\bwhat did (i|you) (?:just |first )?(?:say|ask|tell|answer|write)\b/i.exec(asked)?.[1];
  if (said !== undefined) {
    const speaker = said.toLowerCase() === 'i' ? 'user' : 'assistant';
    const theirs = earlier.filter((turn) => turn.speaker === speaker);
    const turn = /\bfirst\b/i.test(asked) ? theirs[0] : theirs.at(-1);
    if (turn === undefined) return `Nothing yet: this is where our conversation begins.`;
    return `${speaker === 'user' ? 'You' : 'I'} said: “${cutExcerpt(turn.text, 400)}”`;
  }
  if (/\b(?:who|what) are you\b/i.test(asked))
    return (
      'I am a reference engine, not a language model: I answer by rules, from the conversation alone.' +
      (instruction === '' ? '' : ` My system message says: “${cutExcerpt(instruction, quoteRoom)}”`)
    );
  return null;
}

/** The beginning of another statement in a sentence. */
const nextStatement = /,| (?:and|but) (?:my|i|i'm|i’m)\b/i;

function recallOwn(what: string, earlier: Conversation['earlier']): string | null {
  const wanted = what.toLowerCase();
  const lead = new RegExp(
    `\\bmy ${wanted} (?:is|are|was) ([^.!?\\n]{1,120})${wanted === 'name' ? "|\\b(?:i am|i’m|i'm|call me) (\\p{Lu}[\\p{L} -]{0,40})" : ''}`,
    'iu',
  );
  for (const turn of earlier.toReversed()) {
    if (turn.speaker !== 'user') continue;
    const found = lead.exec(turn.text.slice(0, 4_000));
    const told = found?.[1] ?? found?.[2];
    if (told !== undefined) return `Your ${what} is ${told.split(nextStatement)[0]?.trim()}.`;
  }
  return null;
}

function summary(question: string, earlier: Conversation['earlier']): string {
  const colon = question.indexOf(':');
  const given = colon === -1 ? '' : question.slice(colon + 1).trim();
  if (given !== '' || earlier.length === 0) return summariseText(given === '' ? question : given);
  const mine = earlier.filter(({ speaker }) => speaker === 'assistant').length;
  const quotes = earlier.slice(-quotesMax).map(({ speaker, text }) => {
    const who = speaker === 'user' ? 'you said' : 'I answered';
    return `${who} “${cutExcerpt(text, quoteRoom)}”`;
  });
  const skipped = earlier.length > quotesMax ? 'Most recently, ' : '';
  const listOfQuotes = `${skipped}${listed(quotes)}.`;
  return `Our conversation so far has ${earlier.length} messages, ${earlier.length - mine} of yours and ${mine} of mine. ${listOfQuotes.charAt(0).toUpperCase()}${listOfQuotes.slice(1)}`;
}

function summariseText(text: string): string {
  const sentences = text.slice(0, 100_000).match(/[^.!?\n]+[.!?]*/g) ?? [];
  const telling = sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence.length > 1);
  const first = telling[0];
  const last = telling.at(-1);
  if (first === undefined || last === undefined) return 'There is nothing to summarise.';
  if (telling.length === 1) return `In short: ${cutExcerpt(first, 120)}`;
  return `In short, of ${telling.length} sentences: ${cutExcerpt(first, 120)} … ${cutExcerpt(last, 120)}`;
}
