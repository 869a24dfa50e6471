import { execFileSync } from 'node:child_process';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { TypedDataEncoder, Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { decodeProgram, nodeProgram, recoverProgram, requestProgram, signProgram } from './step-program.ts';

/** Runs a command with a `curl` that prints its arguments, one a line, between brackets. */
function runShell(command: string, variables: Readonly<Record<string, string>> = {}): string {
  const curl = 'curl() { for each in "$@"; do printf "[%s]\\n" "$each"; done; }';
  return execFileSync('sh', ['-c', `${curl}\n${command}`], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...variables },
  });
}

const hostile = `It's "$HOME" \`id\` $(id) \\ ; #\nnext line`;

it('the command of a request keeps every character of it', () => {
  const headers = new Headers({ 'X-PAYMENT': 'eyJ9', 'content-type': 'application/json' });
  const body = JSON.stringify({ content: hostile });
  const printed = runShell(requestProgram('POST', "https://a.example/it's", headers, body));
  expect(printed.split('\n')).toEqual([
    '[-i]',
    '[-X]',
    '[POST]',
    "[https://a.example/it's]",
    '[-H]',
    '[content-type: application/json]',
    '[-H]',
    '[x-payment: eyJ9]',
    '[--data-raw]',
    `[${body}]`,
    '',
  ]);
});

it('a request without a body sends none', () => {
  expect(runShell(requestProgram('GET', 'https://a.example/', new Headers(), ''))).toBe(
    '[-i]\n[-X]\n[GET]\n[https://a.example/]\n',
  );
});

it('the command of a header decodes it', () => {
  expect(runShell(decodeProgram(Buffer.from(hostile).toString('base64')))).toBe(hostile);
});

it('the command of a node has the call', () => {
  const RPC_URL = 'https://node.example/?key=1';
  const [url, , , flag, body = ''] = runShell(nodeProgram('eth_getCode', ['0x1', "it's"]), { RPC_URL }).split(
    '\n',
  );
  expect([url, flag]).toEqual([`[${RPC_URL}]`, '[--data-raw]']);
  expect(JSON.parse(body.slice(1, -1))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getCode',
    params: ['0x1', "it's"],
  });
});

it('the programs of a signature sign the fields, and name the account', async () => {
  const wallet = Wallet.createRandom();
  const domain = { name: 'Dollar', version: '2', chainId: 1, verifyingContract: `0x${'11'.repeat(20)}` };
  const message = {
    from: wallet.address,
    to: `0x${'22'.repeat(20)}`,
    value: '7',
    validAfter: 0,
    validBefore: 9,
    nonce: `0x${'33'.repeat(32)}`,
  };
  const types = structuredClone(transferWithAuthorizationTypes) as Record<
    string,
    { name: string; type: string }[]
  >;
  const typedData = JSON.stringify(TypedDataEncoder.getPayload(domain, types, message));
  const signature = await wallet.signTypedData(domain, types, message);
  const keyFile = 'payer.key';
  const replace = (program: string) => program.replace('readFileSync("payer.key", \'utf8\').trim()', 'key');
  expect(replace(signProgram(typedData, keyFile))).toContain('new Wallet(key)');
  const run = (program: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim();
  const key = `const key = ${JSON.stringify(wallet.privateKey)};\n`;
  expect(run(key + replace(signProgram(typedData, keyFile)))).toBe(signature);
  expect(run(recoverProgram(typedData, signature))).toBe(wallet.address);
});
