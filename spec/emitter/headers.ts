import { navigateProgram, type Program, type Scalar } from '@typespec/compiler';
import { getContentSchema } from '@typespec/json-schema';
import { banner, docComment } from './source.ts';

/** Emits a codec for every scalar with base64 JSON, named after its content. */
export function emitHeaders(program: Program): string {
  const carriers: { scalar: Scalar; content: string }[] = [];
  navigateProgram(program, {
    scalar(scalar) {
      const content = getContentSchema(program, scalar);
      if (content?.kind === 'Model') carriers.push({ scalar, content: content.name });
    },
  });
  const names = [...new Set(carriers.map((carrier) => carrier.content))].sort();
  const codecs = carriers.map(({ scalar, content }) => {
    const name = scalar.name.replace(/^Encoded/, '');
    return `${docComment(program, scalar)}export function encode${name}(value: ${content}): string {
  return encodeJson(value);
}

/** Decodes \`${scalar.name}\`: base64, then JSON, then the schema of \`${content}\`. */
export function decode${name}(text: string): Decoded<${content}> {
  return decodeJson(text, valid.${content});
}
`;
  });
  return `${banner}
import type { ${names.join(', ')} } from './types.ts';
import * as valid from './validators.js';

${runtime}
${codecs.join('\n')}`;
}

const runtime = `/** The decoded value of a header, or the reason why it is invalid. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The failed stage: the base64, the JSON, or the schema. */
      readonly stage: 'base64' | 'json' | 'schema';
      readonly message: string;
      /** JSON pointer into the decoded object; '' is the whole object. */
      readonly path: string;
    };

/**
 * Encodes compact JSON as standard base64 with padding. ASCII only, because some clients read headers as
 * Latin-1.
 */
function encodeJson(value: unknown): string {
  const ascii = JSON.stringify(value).replace(
    /[\\u0080-\\uffff]/g,
    (unit) => \`\\\\u\${unit.charCodeAt(0).toString(16).padStart(4, '0')}\`,
  );
  return btoa(ascii);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes standard and URL-safe base64, with or without padding, because x402 clients send all of these. */
function decodeJson<T>(text: string, validate: valid.Validate<T>): Decoded<T> {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/]+$/.test(standard) || standard.length % 4 === 1) {
    return { ok: false, stage: 'base64', message: 'is not base64', path: '' };
  }
  let value: unknown;
  try {
    const binary = atob(standard);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { ok: false, stage: 'json', message: 'is not base64 of JSON', path: '' };
  }
  if (validate(value)) return { ok: true, value };
  const first = validate.errors?.[0];
  return {
    ok: false,
    stage: 'schema',
    message: first?.message ?? 'does not match its schema',
    path: first?.instancePath ?? '',
  };
}
`;
