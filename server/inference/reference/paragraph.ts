import { countTextTokens } from '../tokens.ts';
import type { Conversation } from './conversation.ts';
import type { Wording } from './wording.ts';
import { cutExcerpt, findKeywords, listed } from './words.ts';

/** The part of a text that is searched for keywords. */
const keywordCharactersMax = 20_000;
/**
 * The room for quotations in characters, and the number of keywords. Each is tried when the one before is too
 * long.
 */
const shares = [
  { room: 40, words: 3 },
  { room: 20, words: 3 },
  { room: 10, words: 1 },
  { room: 4, words: 0 },
] as const;
/**
 * The most tokens of the quotations. The text around them takes at most 60, so that the whole stays below 100,
 * the default of `max_tokens`. Characters do not tell the tokens: a mark, or a part of an emoji, may be
 * several.
 */
const quotedTokensMax = 36;

/**
 * Writes the completion when no rule matches: a paragraph about the conversation, which states that it comes from a
 * reference engine. Longer than a client's small `max_tokens`, shorter than the contract's default, so that
 * both ends can be tested.
 */
export function writeParagraph(conversation: Conversation, wording: Wording): string {
  const { question, earlier, instruction } = conversation;
  const first = earlier[0];
  const { asked, about, begun, told } = fitting(question.slice(0, keywordCharactersMax), (room) => ({
    asked: cutExcerpt(question, room),
    begun: cutExcerpt(first?.text ?? '', room / 2),
    told: cutExcerpt(instruction, room / 2),
  }));
  return [
    question.trim() === ''
      ? 'The last user message is empty, so there is little to answer.'
      : wording.pick(
          `You wrote: “${asked}”.`,
          `Your last message says “${asked}”.`,
          `I read your message, “${asked}”.`,
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
          `It follows ${messages(earlier.length)}, the first of them “${begun}”.`,
          `Before it came ${messages(earlier.length)}, beginning with “${begun}”.`,
        ),
    instruction === '' ? '' : `My instruction is “${told}”.`,
    wording.pick(
      'I am a reference engine and work by rules, so this is as much as I can say.',
      'More I cannot tell: a reference engine works by rules, not by understanding.',
      'This comes from a reference engine, which follows rules and knows nothing else.',
    ),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Continues a prompt when no rule matches. */
export function writeContinuation(prompt: string, wording: Wording): string {
  const { begun, about } = fitting(prompt.slice(-keywordCharactersMax), (room) => ({
    begun: cutExcerpt(prompt, room),
  }));
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
        : wording.pick(`It began with “${begun}”.`, `Its first words were “${begun}”.`),
      wording.pick(
        'A language model would carry on; this reference engine works by rules and ends here.',
        'This is the work of a reference engine, which follows rules and leaves the rest to a language model.',
      ),
    ].join(' ')
  );
}

/** Chooses the longest quotations within the token limit, and the keywords of a text. */
function fitting<Quotes extends Readonly<Record<string, string>>>(
  text: string,
  quote: (room: number) => Quotes,
): Quotes & { readonly about: readonly string[] } {
  for (const { room, words } of shares) {
    const [quotes, about] = [quote(room), findKeywords(text, words)];
    const tokens = [...Object.values(quotes), ...about].reduce((sum, each) => sum + countTextTokens(each), 0);
    if (tokens <= quotedTokensMax) return { ...quotes, about };
  }
  return { ...quote(0), about: [] };
}

function messages(count: number): string {
  return count === 1 ? 'one message' : `${count} messages`;
}
