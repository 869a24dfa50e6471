import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';

describe('Options that npm took because -- is missing', () => {
  const kept = (cli: { gateway: { url: string }; keyFile: string }, more: Record<string, string>) => ({
    PAID_INFERENCE_URL: cli.gateway.url,
    PAID_INFERENCE_KEY_FILE: cli.keyFile,
    npm_lifecycle_event: 'chat',
    ...more,
  });

  test('are named with the command to type, and nothing is bought', async () => {
    await using cli = await openCliFixture();
    const environment = kept(cli, { npm_config_json: 'true', npm_config_max_price: 'true' });
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Say pong.', '5'], environment);
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      'paid-inference: npm took --json and --max-price for itself. Put -- before the arguments: npm run chat -- … --json --max-price\n',
    ]);
    expect(cli.gateway.received).toEqual([]);
  });

  test('are not reported when the command got them, or when npm has a setting of that name', async () => {
    await using cli = await openCliFixture();
    const environment = kept(cli, { npm_config_json: 'true', npm_config_yes: 'true' });
    expect(await cli.run(['chat', 'Say pong.', '--json'], environment)).toMatchObject({ exitCode: 0 });
  });

  test('are not reported when another script started the program', async () => {
    await using cli = await openCliFixture();
    const environment = { ...kept(cli, { npm_config_json: 'true' }), npm_lifecycle_event: 'test' };
    expect(await cli.run(['chat', 'Say pong.'], environment)).toMatchObject({
      exitCode: 0,
      stdout: 'pong\n',
    });
  });
});
