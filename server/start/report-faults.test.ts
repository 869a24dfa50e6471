import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runGatewayCommand } from '../testing/run-gateway-command.ts';

const escapeCharacter = String.fromCharCode(27);
const hostile = `x${escapeCharacter}[2J\n::error::x`;

describe.each([
  ['start', []],
  ['doctor', ['doctor']],
  ['backup', ['backup', '--out', 'copy']],
  ['export', ['export']],
])('The command %s prints no control character of its arguments (D-190)', (_name, command) => {
  it.each([
    ['an unknown option', [`--${hostile}`]],
    ['a file of settings', ['--config', hostile]],
  ])('in %s', async (_option, args) => {
    const { code, stdout, stderr } = await runGatewayCommand([...command, ...args], {}, tmpdir());
    const output = stdout + stderr;
    expect(code).toBe(2);
    expect(output).toContain('x\\u{1b}[2J');
    expect(output).not.toContain(escapeCharacter);
    expect(output).not.toMatch(/^::error::/m);
  });
});

const key = `0x${'5e'.repeat(32)}`;

it.each<[string, readonly string[]]>([
  ['start', [key]],
  ['start', [`--${key}`]],
  ['start', ['--config', key]],
  ['doctor', ['doctor', key]],
  ['doctor', ['doctor', '--config', key]],
  ['backup', ['backup', '--out', 'copy', key]],
  ['export', ['export', '--format', key]],
])('the command %s prints no private key in a wrong place: %j', async (_name, args) => {
  const { stdout, stderr } = await runGatewayCommand(args, {}, tmpdir());
  expect(stdout + stderr).not.toContain(key.slice(2));
  expect(stdout + stderr).toContain('<secret>');
});

it.each<[string, readonly string[], Record<string, string>, string]>([
  ['the value of LOG_FORMAT', [], { LOG_FORMAT: key }, ''],
  ['a relayer key', [], { RELAYER_KEY: key.slice(0, -1) }, ''],
  ['the value of LOG_FORMAT', ['--check-config', '--json'], { LOG_FORMAT: key }, ''],
  ['the value of LOG_FORMAT', ['doctor'], { LOG_FORMAT: key }, ''],
  ['the name of a setting', ['--check-config'], {}, `"${key}": 1`],
  ['the name of a setting', ['doctor', '--json'], {}, `advanced: { "${key}": 1 }`],
  ['the name of a folder', ['export'], { DEVNET_FOLDER: key }, ''],
  ['the name of a file', ['doctor'], {}, `catalogFile: ${key.slice(2)}.json`],
  ['the name of a file', ['--check-config', '--json', '--config', key], {}, ''],
])('prints no private key that is %s: %j (D-425)', async (_place, args, environment, settings) => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  if (settings !== '') writeFileSync(join(folder, 'gateway.yaml'), settings);
  const { stdout, stderr } = await runGatewayCommand(args, environment, folder);
  rmSync(folder, { recursive: true });
  expect(stdout + stderr).not.toContain(key.slice(2, -1));
});

it('prints an error of Node about an option in one line', async () => {
  const { stderr } = await runGatewayCommand(['--config', '--json'], {}, tmpdir());
  expect(stderr.split('\n')[1]).toMatch(
    /^ {2}- Option '--config' argument is ambiguous\. .*'--config=-XYZ'\.$/,
  );
});
