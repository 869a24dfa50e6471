import type { Conversation } from './conversation.ts';
import type { Wording } from './wording.ts';
import { excerptOf, keywordsOf, listed } from './words.ts';

/** Where keywords are counted; a megabyte of text has no others. */
const keywordCharactersMax = 20_000;
const keywordsMax = 3;
/** Room for a quotation, in characters. Everything together stays below 100 tokens, the default of `max_tokens`. */
const quoteRoom = 40;

/**
 * What the engine says when no rule of its knows better: a paragraph about the conversation, that says what it is.
 * Longer than a client's small `max_tokens`, shorter than the contract's default, so that both ends can be tested.
 */
export function paragraphOf(conversation: Conversation, wording: Wording): string {
  const { question, earlier, instruction } = conversation;
  const about = keywordsOf(question.slice(0, keywordCharactersMax), keywordsMax);
  const first = earlier[0];
  return [
    question.trim() === ''
      ? 'The last user message is empty, so there is little to answer.'
      : wording.pick(
          `You wrote: “${excerptOf(question, quoteRoom)}”.`,
          `Your last message says “${excerptOf(question, quoteRoom)}”.`,
          `I read your message, “${excerptOf(question, quoteRoom)}”.`,
        ),
    about.length === 0
      ? ''
      : wording.pick(
          `It is about ${listed(about)}.`,
          `What stands out in it: ${listed(about)}.`,
          `Its telling words are ${listed(about)}.`,
        ),
    first === undefined
      ? wording.pick('Nothing was said before it.', 'It opens our conversation.')
      : wording.pick(
          `It follows ${messages(earlier.length)}, the first of them “${excerptOf(first.text, quoteRoom / 2)}”.`,
          `Before it came ${messages(earlier.length)}, beginning with “${excerptOf(first.text, quoteRoom / 2)}”.`,
        ),
    instruction === '' ? '' : `My instruction is “${excerptOf(instruction, quoteRoom / 2)}”.`,
    wording.pick(
      'I am a reference engine and work by rules, so this is as much as I can say.',
      'More I cannot tell: a reference engine works by rules, not by understanding.',
      'This comes from a reference engine, which follows rules and knows nothing else.',
    ),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The same for a bare prompt: goes on where the text ends. */
export function continuationOf(prompt: string, wording: Wording): string {
  const about = keywordsOf(prompt.slice(-keywordCharactersMax), keywordsMax);
  const lead = prompt === '' || /\s$/.test(prompt.slice(-1)) ? '' : ' ';
  const subject = about.length === 0 ? 'nothing in particular' : listed(about);
  return (
    lead +
    [
      wording.pick(
        `And so the text goes on about ${subject}.`,
        `From here the text would go on about ${subject}.`,
        `What follows is still about ${subject}.`,
      ),
      prompt.trim() === ''
        ? 'It has not begun yet.'
        : wording.pick(
            `It began with “${excerptOf(prompt, quoteRoom)}”.`,
            `Its first words were “${excerptOf(prompt, quoteRoom)}”.`,
          ),
      wording.pick(
        'A language model would carry on; this reference engine works by rules and ends here.',
        'This is the work of a reference engine, which follows rules and leaves the rest to a language model.',
      ),
    ].join(' ')
  );
}

function messages(count: number): string {
  return count === 1 ? 'one message' : `${count} messages`;
}
