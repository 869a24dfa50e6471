import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';
import { testRecipient, testToken } from '../testing/gateway.ts';
import { startTestRpc } from '../testing/rpc.ts';

const chain = 84_532;
const other = '0x3333333333333333333333333333333333333333';
const charged = 'You may have been charged: the authorization with nonce 0x';

describe('A false receipt', () => {
  test.each([
    ['that is missing', { receiptHeader: null }, 'X-PAYMENT-RESPONSE is missing.'],
    ['of a failed settlement', { receipt: { success: false } }, 'says that the settlement failed.'],
    ['of another payer', { receipt: { payer: other } }, `names the payer ${other}`],
  ])('%s gives the completion and exit code 3', async (_, settings, message) => {
    await using cli = await openCliFixture();
    Object.assign(cli.gateway.settings, settings);
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Say pong.']);
    expect([exitCode, stdout]).toEqual([3, 'pong\n']);
    expect(stderr).toContain('paid-inference: The response proves no payment: X-PAYMENT-RESPONSE');
    expect(stderr).toContain(message);
    expect(stderr).toContain(charged);
  });

  test('of a transaction that the chain does not have is found with --rpc', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(chain, 0n);
    const { exitCode, stdout } = await cli.run(['chat', 'Say pong.', '--json', '--rpc', rpc.url]);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'completion',
      receipt: null,
      receiptFault: expect.stringMatching(/^the RPC endpoint does not know the transaction 0x/),
      payment: { state: 'maybe-charged' },
    });
  });

  test('of another purchase is found with --rpc', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(chain, 0n, cli.gateway.store.charges);
    const first = await cli.run(['chat', 'Say pong.', '--json', '--rpc', rpc.url]);
    expect(first.exitCode).toBe(0);
    const { txHash } = JSON.parse(first.stdout).receipt;
    cli.gateway.settings.receipt = { txHash, transaction: txHash };
    const { exitCode, stderr } = await cli.run(['chat', 'Say ping.', '--rpc', rpc.url]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`the transaction ${txHash} is not this payment`);
  });

  test('cannot be told without a node of the chain', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(1, 0n, cli.gateway.store.charges);
    const { exitCode, stderr } = await cli.run(['chat', 'Say pong.', '--rpc', rpc.url]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the RPC endpoint is on chain 1, but payments are on 84532');
  });
});

describe('A limit of the command line', () => {
  test.each([
    ['token', '--token', 'the token'],
    ['recipient', '--pay-to', 'the recipient'],
  ])('on the %s is a reason not to sign', async (_, option, words) => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run(['chat', 'Say pong.', option, other]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`paid-inference: ${words} 0x`);
    expect(cli.gateway.paid()).toEqual([]);
  });

  test('allows the offer that it names', async () => {
    await using cli = await openCliFixture();
    const limits = ['--token', testToken, '--pay-to', testRecipient];
    expect(await cli.run(['chat', 'Say pong.', ...limits])).toMatchObject({ exitCode: 0 });
  });
});
