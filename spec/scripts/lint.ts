import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import { checkFormatTypeSpec } from '@typespec/compiler';
import { findBannedNames, readReplacements } from './glossary.ts';
import { namedSources } from './sources.ts';

const specFolder = fileURLToPath(new URL('..', import.meta.url));
const generatedFolder = fileURLToPath(new URL('../../generated', import.meta.url));

type Exemption = { readonly rule: string; readonly at: string; readonly why: string };

const noContentSchema = '3.0 has no contentSchema, so no header refers to the schema, but readers need it';
const noPaymentScheme =
  'a payment belongs to one request and its offer, and generators send a security scheme with every call';

/** Findings that we accept, place by place. An exemption without a finding is a problem too. */
const exemptions: Readonly<Record<string, readonly Exemption[]>> = {
  'openapi.json': [
    ...exemptionsOfBoth(),
    {
      ...unused('MethodNotAllowedBody'),
      why: '405 is for methods without an operation, and a document has responses only for operations',
    },
  ],
  'openapi.3.0.json': [
    ...exemptionsOfBoth(),
    {
      rule: 'operation-4xx-response',
      at: '#/paths/~1ready/get/responses',
      why: 'its 429 would have another schema than its 503 (D-288)',
    },
    ...['ErrorDetail', 'X402V1Offer'].map((name) => ({
      ...unused(name),
      why: 'programs read it from a field or a body that the document leaves open (D-288)',
    })),
    {
      ...unused('NamedToolChoice'),
      why: 'the union that uses it has only one variant here (D-288)',
    },
    ...[
      'AcceptedPayment',
      'InferenceProof',
      'PaymentObject',
      'PaymentReceipt',
      'PaymentRequirements',
      'X402V2Offer',
      'X402V2Refusal',
    ].map((name) => ({ ...unused(name), why: noContentSchema })),
  ],
};

/** Redocly's `recommended` at full strictness, except for objects. */
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    // Objects are open on the wire, and the tool reports the fields of a discriminated union as undeclared.
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    'no-invalid-schema-examples': { severity: 'error', allowAdditionalProperties: true },
  },
});

const problems = [
  ...(await unformatted()),
  ...(await Promise.all(Object.entries(exemptions).map(lintDocument))).flat(),
  ...(await bannedNames()),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('spec/ is formatted, both OpenAPI documents pass the linter, and no name has a banned word');

/** Names with banned words of spec/GLOSSARY.md. */
async function bannedNames(): Promise<readonly string[]> {
  const replacements = readReplacements(await readFile(join(specFolder, 'GLOSSARY.md'), 'utf8'));
  return namedSources.flatMap((source) => findBannedNames(source, replacements));
}

function exemptionsOfBoth(): readonly Exemption[] {
  return [
    ...['~1v1~1chat~1completions', '~1v1~1completions'].map((path) => ({
      rule: 'security-defined',
      at: `#/paths/${path}/post`,
      why: noPaymentScheme,
    })),
    { ...unused('BazaarExtension'), why: 'it is one of the extensions of X402V2Offer, which are open' },
    { ...unused('OperationPrice'), why: 'it is in `x-payment-info` of the document that a gateway serves' },
    {
      ...unused('InferenceStatement'),
      why: 'it is signed as typed data; on the wire there are only its fields',
    },
    { ...unused('SavedExchange'), why: 'it is a file of clients; no operation uses it' },
  ];
}

function unused(schema: string): Omit<Exemption, 'why'> {
  return { rule: 'no-unused-components', at: `#/components/schemas/${schema}` };
}

async function lintDocument([name, exempt]: [string, readonly Exemption[]]): Promise<string[]> {
  const found = await lint({ ref: join(generatedFolder, name), config });
  const places = found.map(({ ruleId, location, message }) => ({
    rule: ruleId,
    at: location[0]?.pointer ?? '#',
    message: message.split('\n')[0],
  }));
  const covers = (rule: string, at: string) => (other: { rule: string; at: string }) =>
    other.rule === rule && other.at === at;
  return [
    ...places
      .filter(({ rule, at }) => !exempt.some(covers(rule, at)))
      .map(({ rule, at, message }) => `generated/${name} ${at} ${rule}: ${message}`),
    ...exempt
      .filter(({ rule, at }) => !places.some(covers(rule, at)))
      .map(({ rule, at }) => `generated/${name} ${at} ${rule}: the exemption has no finding any more`),
  ];
}

async function unformatted(): Promise<string[]> {
  const found: string[] = [];
  for await (const name of glob('**/*.tsp', { cwd: specFolder, exclude: ['node_modules'] })) {
    const text = await readFile(join(specFolder, name), 'utf8');
    const formatted = await checkFormatTypeSpec(text);
    if (!formatted) found.push(`spec/${name} is not formatted: npx tsp format "spec/**/*.tsp"`);
  }
  return found.sort();
}
