import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';

describe.runIf(existsSync('/dev/full'))('A full disk as standard output', () => {
  test.each([
    ['the help', ['--help']],
    ['a new wallet', ['wallet', 'new', 'new.key']],
    ['a streamed completion', ['chat', 'Say pong.']],
    ['a completion as JSON', ['chat', 'Say pong.', '--json']],
  ])('is named in one sentence, with exit code 3, when it should get %s', async (_, given) => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.runWithFullOutput(given);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('paid-inference: Standard output cannot be written (ENOSPC). The disk is full.');
    expect(stderr.includes('With --save <file>')).toBe(given.includes('chat'));
    expect(stderr).not.toContain('internal error');
  });

  test('does not keep a purchase from the file of --save', async () => {
    await using cli = await openCliFixture();
    const path = cli.file('x', '').replace(/x$/, 'saved.json');
    const { exitCode, stderr } = await cli.runWithFullOutput(['chat', 'Say pong.', '--save', path]);
    expect([exitCode, stderr.includes('With --save')]).toEqual([3, false]);
    expect(readFileSync(path, 'utf8')).toContain('pong');
  });
});
