import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';
import { completionFor, envelope } from '../testing/completions.ts';
import { reply } from '../testing/gateway.ts';

async function openStreaming(content: string) {
  const cli = await openCliFixture();
  const completion = JSON.parse(completionFor('/v1/chat/completions', '{"messages":[{}]}'));
  completion.choices[0].message.content = content;
  cli.gateway.settings.streams = true;
  cli.gateway.settings.completion = JSON.stringify(completion);
  return { cli, completion };
}

describe('The command chat (D-270)', () => {
  test('prints a streamed completion once, and ends its line', async () => {
    const { cli } = await openStreaming('one two three');
    await using _ = cli;
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Count.']);
    expect([exitCode, stdout]).toEqual([0, 'one two three\n']);
    expect(stderr).toContain('✓ settled');
    expect(JSON.parse(cli.gateway.paid()[0]?.body ?? '')).toMatchObject({ stream: true });
  });

  test('prints the calls behind the text', async () => {
    const { cli, completion } = await openStreaming('I look.');
    await using _ = cli;
    completion.choices[0].message.tool_calls = [
      { id: 'call-1', type: 'function', function: { name: 'look', arguments: '{"far":true}' } },
    ];
    cli.gateway.settings.completion = JSON.stringify(completion);
    expect((await cli.run(['chat', 'Look.'])).stdout).toBe('I look.\nlook({"far":true})\n');
  });

  test('escapes control characters, also where a chunk ends', async () => {
    const { cli } = await openStreaming('one\r\n two \u001b[2J three\r\r\n four');
    await using _ = cli;
    const { stdout } = await cli.run(['chat', 'Count.']);
    expect(stdout).toBe('one\n two \\u{1b}[2J three\\u{d}\n four\n');
  });

  test('is one object with --json, without a stream', async () => {
    const { cli, completion } = await openStreaming('one two');
    await using _ = cli;
    const { stdout } = await cli.run(['chat', 'Count.', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'completion', completion });
    expect(JSON.parse(cli.gateway.paid()[0]?.body ?? '')).not.toHaveProperty('stream');
  });

  test('continues a broken stream by the same payment', async () => {
    const { cli } = await openStreaming('one two three');
    await using _ = cli;
    cli.gateway.fates({ fate: 'break-stream', after: 3 });
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Count.']);
    expect([exitCode, stdout]).toEqual([0, 'one two three\n']);
    expect(stderr).toContain('the stream broke');
    expect(cli.gateway.store.charges).toHaveLength(1);
  });

  test('names the transaction when the completion does not arrive', async () => {
    const { cli } = await openStreaming('one two three');
    await using _ = cli;
    const broken = { fate: 'break-stream', after: 3 } as const;
    cli.gateway.fates(broken, broken, broken, broken);
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Count.']);
    expect([exitCode, stdout]).toEqual([3, 'one two\n']);
    expect(stderr).toMatch(/You have paid: transaction 0x[0-9a-f]{64}/);
  });

  test('buys without a stream from a gateway that refuses `stream`', async () => {
    const { cli } = await openStreaming('one two');
    await using _ = cli;
    const refusal = JSON.parse(envelope('invalid_request'));
    refusal.error.param = 'stream';
    cli.gateway.settings.streams = false;
    const { unpaid: _unpaid, ...usual } = cli.gateway.settings;
    cli.gateway.settings.unpaid = ({ body }) => {
      if (JSON.parse(body).stream === true) return reply(400, JSON.stringify(refusal));
      delete cli.gateway.settings.unpaid;
      return reply(200, usual.completion ?? '');
    };
    const { exitCode, stdout } = await cli.run(['chat', 'Count.']);
    expect([exitCode, stdout]).toEqual([0, 'one two\n']);
  });
});
