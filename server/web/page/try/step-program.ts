/** A text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that sends a request again. The gateway charges one payment once, however often it comes. */
export function requestProgram(method: string, url: string, headers: Headers, body: string): string {
  const fields = [...headers].map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const content = body === '' ? [] : [`--data-raw ${quote(body)}`];
  return [`curl -i -X ${method} ${quote(url)}`, ...fields, ...content].join(' \\\n  ');
}

/** The command that decodes a header. */
export function decodeProgram(header: string): string {
  return `printf %s ${quote(header)} | base64 -d`;
}

/** A call of a node. Its address stays with the reader, because the gateway names none. */
export function nodeProgram(method: string, params: readonly unknown[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return `curl "$RPC_URL" -H 'Content-Type: application/json' --data-raw ${quote(body)}`;
}

type TypedData = {
  readonly domain: object;
  readonly types: Readonly<Record<string, unknown>>;
  readonly message: object;
};

/** The typed data of a wallet, in the form of ethers, which makes the type of the domain itself. */
function argumentsOf(typedData: string): string {
  const { domain, types, message }: TypedData = JSON.parse(typedData);
  const { EIP712Domain: _, ...own } = types;
  return [domain, own, message].map((each) => JSON.stringify(each, null, 2)).join(', ');
}

/** A program that signs the fields. */
export function signProgram(typedData: string, keyFile: string): string {
  return `import { readFileSync } from 'node:fs';
import { Wallet } from 'ethers';

const wallet = new Wallet(readFileSync(${JSON.stringify(keyFile)}, 'utf8').trim());
console.log(await wallet.signTypedData(${argumentsOf(typedData)}));
`;
}

/** A program that names the account of a signature. */
export function recoverProgram(typedData: string, signature: string): string {
  return `import { verifyTypedData } from 'ethers';

console.log(verifyTypedData(${argumentsOf(typedData)}, ${JSON.stringify(signature)}));
`;
}
