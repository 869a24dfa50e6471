import { errorTable } from '@paid-inference/contract/errors';
import precise from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { sections, tableRows } from '../testing/contract-text.ts';
import { describeRules, findValidator, type Rule, without } from '../testing/rules.ts';

type Row = { readonly code: string; readonly status: number; readonly type: string };
type Schema = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
};
type Responses = Readonly<
  Record<string, { readonly content: { readonly 'application/json': { schema: Schema } } }>
>;

/** The rows that D-07 adds to the table of section 7. */
const added: readonly Row[] = [
  { code: 'not_found', status: 404, type: 'invalid_request_error' },
  { code: 'method_not_allowed', status: 405, type: 'invalid_request_error' },
  { code: 'request_too_large', status: 413, type: 'invalid_request_error' },
  { code: 'unsupported_media_type', status: 415, type: 'invalid_request_error' },
  { code: 'upstream_error', status: 502, type: 'server_error' },
  { code: 'overloaded', status: 503, type: 'server_error' },
  { code: 'settlement_pending', status: 503, type: 'server_error' },
  { code: 'unavailable', status: 503, type: 'server_error' },
  { code: 'upstream_timeout', status: 504, type: 'server_error' },
];

const table: readonly Row[] = Object.entries(errorTable).map(([code, { status, type }]) => ({
  code,
  status,
  type,
}));

describe('the error table', () => {
  it('has the rows of section 7 and of D-07, and no others', () => {
    const said = tableRows('7').flatMap(([status = '', type = '', code = '']) =>
      /^`\w+`$/.test(code) ? [{ code: bare(code), status: Number(status), type: bare(type) }] : [],
    );
    expect(said).toHaveLength(5);
    expect([...table].sort(byCode)).toEqual([...said, ...added].sort(byCode));
  });

  it('has the order of D-05, with the errors after all checks at the end', () => {
    expect(table.map(({ code }) => code)).toEqual([
      ...['not_found', 'method_not_allowed', 'rate_limited', 'unsupported_media_type', 'request_too_large'],
      ...['invalid_request', 'invalid_signature', 'insufficient_funds'],
      ...[
        'overloaded',
        'unavailable',
        'upstream_error',
        'upstream_timeout',
        'settlement_pending',
        'internal_error',
      ],
    ]);
  });
});

describe('the OpenAPI 3.1 document', () => {
  const { paths, components } = precise;
  const schemas = components.schemas as unknown as Readonly<Record<string, Schema>>;
  const used = Object.values(paths)
    .flatMap((item) => Object.values(item) as { responses: Responses }[])
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, response]) =>
      listCodes(response.content['application/json'].schema).map((code) => ({
        code,
        status: Number(status),
      })),
    );

  it('gives each error the status of its row', () => {
    const statuses = new Map(table.map(({ code, status }) => [code, status]));
    expect(used.filter(({ code, status }) => statuses.get(code) !== status)).toEqual([]);
  });

  it('has every row except 405, which belongs to methods without an operation', () => {
    const codes = new Set(used.map(({ code }) => code));
    expect(table.filter(({ code }) => !codes.has(code)).map(({ code }) => code)).toEqual([
      'method_not_allowed',
    ]);
  });

  it('lists all errors for a paid endpoint, except those of other paths and methods', () => {
    const paid: Responses = paths['/v1/chat/completions'].post.responses;
    const failures = Object.keys(paid)
      .map(Number)
      .filter((status) => status !== 200);
    const expected = new Set(
      table.map(({ status }) => status).filter((status) => status !== 404 && status !== 405),
    );
    expect(failures).toEqual([...expected].sort((one, other) => one - other));
  });

  /** The values of `error.code` in a schema. */
  function listCodes(schema: Schema): readonly string[] {
    const resolved =
      schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    if (resolved.anyOf) return resolved.anyOf.flatMap(listCodes);
    const error = resolved.properties?.['error'];
    if (error?.properties?.['code']) return error.properties['code'].enum ?? [];
    return error?.$ref === undefined
      ? []
      : (schemas[error.$ref.split('/').at(-1) ?? '']?.properties?.['code']?.enum ?? []);
  }
});

it('section 7 has message, type and code in the envelope', () => {
  const fields = tableRows('7').flatMap(([field = '']) => /^`error\.(\w+)`$/.exec(field)?.[1] ?? []);
  expect(fields).toEqual(['message', 'type', 'code']);
  expect(sections.get('7')).toContain('Error body shape (for 400, 401, 402 `insufficient_funds`, 429, 500)');
});

const bodies: readonly [string, keyof typeof errorTable][] = [
  ['NotFoundBody', 'not_found'],
  ['MethodNotAllowedBody', 'method_not_allowed'],
  ['RateLimitedBody', 'rate_limited'],
  ['UnsupportedMediaTypeBody', 'unsupported_media_type'],
  ['RequestTooLargeBody', 'request_too_large'],
  ['InvalidRequestBody', 'invalid_request'],
  ['InvalidSignatureBody', 'invalid_signature'],
  ['InsufficientFundsBody', 'insufficient_funds'],
  ['OverloadedBody', 'overloaded'],
  ['UnavailableBody', 'unavailable'],
  ['UpstreamErrorBody', 'upstream_error'],
  ['UpstreamTimeoutBody', 'upstream_timeout'],
  ['SettlementPendingBody', 'settlement_pending'],
  ['InternalErrorBody', 'internal_error'],
];

it('every row has a body', () => {
  expect(bodies.map(([, code]) => code)).toEqual(table.map(({ code }) => code));
});

for (const [name, code] of bodies) {
  const error = { message: 'What to change.', type: errorTable[code].type, code };
  const other = code === 'invalid_request' ? 'not_found' : 'invalid_request';
  describeRules(`7 ${name}`, findValidator(name), [
    { rule: 'error is required', keeps: [{ error }], breaks: [{}, error], at: '/error' },
    ...Object.keys(error).map(
      (field): Rule => ({
        rule: `error.${field} is required`,
        keeps: [{ error }],
        breaks: [{ error: without(error, field) }],
        at: `/error/${field}`,
      }),
    ),
    ...having('message', ['', 'Text.'], [null, 1]),
    ...having('type', [error.type], ['error', null]),
    ...having('code', [code], [other, null]),
    ...having('param', ['messages[2].tool_call_id', null], [1, []]).map((rule) => ({
      ...rule,
      rule: `${rule.rule} (D-08)`,
    })),
  ]);

  function having(field: string, good: readonly unknown[], bad: readonly unknown[]): Rule[] {
    const change = (content: unknown) => ({ error: { ...error, [field]: content } });
    return [
      { rule: `error.${field}`, keeps: good.map(change), breaks: bad.map(change), at: `/error/${field}` },
    ];
  }
}

function bare(cell: string): string {
  return cell.replaceAll('`', '');
}

function byCode(one: Row, other: Row): number {
  return one.code < other.code ? -1 : 1;
}
