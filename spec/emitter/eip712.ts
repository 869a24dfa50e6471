import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { stateKeys } from '../lib/decorators.ts';
import { banner, camelCase, literal, said } from './source.ts';

/** EIP-712 domain order (EIP-712, definition of domainSeparator). */
const domainTypes = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };

/** The typed data of section 4.4, in the shape that every EIP-712 signer takes. */
export function emitEip712(program: Program): string {
  const types = program.stateMap(stateKeys.eip712Type);
  const structs = said<Model, string>(program, stateKeys.eip712Struct).map(([model, primaryType]) => {
    const fields = [...model.properties.values()].map((property) => {
      const type = types.get(property);
      if (type === undefined) throw new Error(`${model.name}.${property.name} has no @eip712Type`);
      return { name: property.name, type: String(type) };
    });
    return { primaryType, fields };
  });
  return [
    banner,
    ...structs.map(({ primaryType, fields }) => {
      const encoded = `${primaryType}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
      const name = camelCase(primaryType);
      return `/** EIP-712 types of \`${primaryType}\`. */
export const ${name}Types = ${literal({ [primaryType]: fields })};

export const ${name}PrimaryType = '${primaryType}';

/** The string whose keccak256 is the type hash. */
export const ${name}EncodedType =
  '${encoded}';
`;
    }),
    `/** EIP-712 domain that a payment is signed in. */
export type PaymentDomain = { name: string; version: string; chainId: number; verifyingContract: string };

/** Fields of the domain, in the order in which EIP-712 hashes them. */
export const paymentDomainFields = ${literal(Object.entries(domainTypes).map(([name, type]) => ({ name, type })))};

${domainFunction(program)}`,
  ].join('\n');
}

/** Section 4.4, step 4: which field of the offer is which field of the domain. */
function domainFunction(program: Program): string {
  const sources = new Map<string, string>();
  for (const [property, field] of said<ModelProperty, string>(program, stateKeys.eip712DomainField)) {
    const owner = property.model?.name;
    const path = owner === 'TokenDomain' ? `offer.extra.${property.name}` : `offer.${property.name}`;
    sources.set(field, field === 'chainId' ? 'chainId' : path);
  }
  const rows = Object.keys(domainTypes).map((field) => {
    const source = sources.get(field);
    if (source === undefined) throw new Error(`no @eip712DomainField supplies ${field}`);
    return source === field ? `    ${field},` : `    ${field}: ${source},`;
  });
  return `import { chainId } from './constants.ts';

/** The domain that an offer asks to be signed in (section 4.4, step 4). */
export function paymentDomain(offer: {
  readonly asset: string;
  readonly extra: { readonly name: string; readonly version: string };
}): PaymentDomain {
  return {
${rows.join('\n')}
  };
}
`;
}
