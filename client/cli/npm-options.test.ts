import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';

describe('Options that npm kept for itself, since -- was forgotten', () => {
  const kept = (cli: { gateway: { url: string }; keyFile: string }, more: Record<string, string>) => ({
    PAID_INFERENCE_URL: cli.gateway.url,
    PAID_INFERENCE_KEY_FILE: cli.keyFile,
    npm_lifecycle_event: 'chat',
    ...more,
  });

  test('are named with what to type, and nothing is bought', async () => {
    await using cli = await openCliFixture();
    const environment = kept(cli, { npm_config_json: 'true', npm_config_max_price: 'true' });
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Say pong.', '5'], environment);
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      'paid-inference: npm kept --json and --max-price for itself. Put -- before everything else: npm run chat -- … --json --max-price\n',
    ]);
    expect(cli.gateway.received).toEqual([]);
  });

  test('are told apart from those that reached the command, and from a setting of npm', async () => {
    await using cli = await openCliFixture();
    const environment = kept(cli, { npm_config_json: 'true', npm_config_yes: 'true' });
    expect(await cli.run(['chat', 'Say pong.', '--json'], environment)).toMatchObject({ exitCode: 0 });
  });

  test('say nothing where the program was not started by its script', async () => {
    await using cli = await openCliFixture();
    const environment = { ...kept(cli, { npm_config_json: 'true' }), npm_lifecycle_event: 'test' };
    expect(await cli.run(['chat', 'Say pong.'], environment)).toMatchObject({
      exitCode: 0,
      stdout: 'pong\n',
    });
  });
});
