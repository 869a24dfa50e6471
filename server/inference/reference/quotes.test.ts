import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../tokens.ts';
import { completeChat, continuePrompt } from './completion.ts';
import { quotesIn } from './quotes.ts';
import { createWording } from './wording.ts';

await loadTokenizer();

describe('Quotations of a text', () => {
  it.each([
    ['in marks of each kind', 'say "a b", “c”, `d` and «e»', ['a b', 'c', 'd', 'e']],
    ['in single quotes, after the others', `'one' and "two"`, ['two', 'one']],
    ['without quotations inside another one', `"say 'yes' to it" or 'no'`, ["say 'yes' to it", 'no']],
    ['without duplicates', `'a' and 'a', "b" and 'b'`, ['b', 'a']],
    ['without apostrophes', "it's the cats' and the dog's", []],
    ['without unclosed marks', 'a "b and `c', []],
    ['without empty quotations', `"" and ''`, []],
    ['with single quotes that overlap another one', `"a 'b" c'`, ["a 'b", 'b" c']],
  ])('are found %s', (_name, text, quotes) => {
    expect(quotesIn(text)).toEqual(quotes);
  });

  it('are distinguished by position, not by text (D-196)', () => {
    expect(quotesIn(`"the cat" and 'cat'`)).toEqual(['the cat', 'cat']);
  });

  it('are at most fifty', () => {
    expect(quotesIn(`'a' "b" `.repeat(100))).toEqual(Array.from({ length: 50 }, () => 'b'));
  });
});

// Without limits on their work, these tests would take minutes and exceed the timeout.
describe('A full context is answered in time (D-196)', () => {
  const size = 400_000;
  const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size);

  it('with one long quotation and many short ones that almost occur in it', () => {
    const half = size / 2;
    const long = `${'a'.repeat(half)}b`;
    expect(quotesIn(`say "${long}" ${" 'aab'".repeat(half / 6)}`)).toEqual([long, 'aab']);
  });

  it('with a tool result of one long name and many values', () => {
    const values = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`v${at}`, at]));
    const results = [{ name: 'look', content: JSON.stringify({ [filled('n')]: values }) }];
    const conversation = { instruction: '', question: '', earlier: [], results, isOpen: false };
    const told = completeChat(conversation, createWording('seed'));
    expect(told).toContain('v99 is 99');
    expect(told.length).toBeLessThan(size);
  });

  it.each(
    [
      'a',
      ' ',
      '\n',
      "'",
      '"',
      "' ",
      "'a' ",
      '“',
      '`a',
      '.',
      '. ',
      'a.',
      '1',
      '1,',
      '1, ',
      '-',
      '- ',
      '(',
      ': ',
      '= ',
      '?',
    ].concat([
      '😀',
      'é',
      'A ',
      'aB',
      'in ',
      'in A ',
      'my ',
      'say ',
      'and nothing ',
      ', and nothing else',
      'a@',
      'http://',
    ]),
  )('with only %j after each beginning', (part) => {
    const wording = createWording('seed');
    for (const head of [
      '',
      'say ',
      'say "',
      'how many words are in ',
      'how many sentences are in: ',
      'summarize: ',
      '= ',
    ]) {
      const text = `${head}${filled(part)}`;
      const conversation = { instruction: text, question: text, earlier: [], results: [], isOpen: true };
      expect(completeChat(conversation, wording)).not.toBe('');
      expect(continuePrompt(text, wording)).not.toBe('');
    }
  });
});
