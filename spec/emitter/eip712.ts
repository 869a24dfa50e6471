import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { stateKeys } from '../lib/decorators.ts';
import { banner, camelCase, literal, readDecorator } from './source.ts';

/** The fields of an EIP-712 domain in the order of EIP-712 (definition of domainSeparator). */
const domainTypes = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };

/** Emits the typed data of section 4.4 in the form that EIP-712 signers accept. */
export function emitEip712(program: Program): string {
  const types = program.stateMap(stateKeys.eip712Type);
  const structs = readDecorator<Model, string>(program, stateKeys.eip712Struct).map(
    ([model, primaryType]) => {
      const fields = [...model.properties.values()].map((property) => {
        const type = types.get(property);
        if (type === undefined) throw new Error(`${model.name}.${property.name} has no @eip712Type`);
        return { name: property.name, type: String(type) };
      });
      return { primaryType, fields };
    },
  );
  return [
    banner,
    ...structs.map(({ primaryType, fields }) => {
      const encoded = `${primaryType}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
      const name = camelCase(primaryType);
      return `/** EIP-712 types of \`${primaryType}\`. */
export const ${name}Types = ${literal({ [primaryType]: fields })};

export const ${name}PrimaryType = '${primaryType}';

/** The encoded type. Its keccak256 is the type hash. */
export const ${name}EncodedType =
  '${encoded}';
`;
    }),
    `/** The EIP-712 domain of a payment. */
export type PaymentDomain = { name: string; version: string; chainId: number; verifyingContract: string };

/** The fields of the domain, in the order of EIP-712. */
export const paymentDomainFields = ${literal(Object.entries(domainTypes).map(([name, type]) => ({ name, type })))};

${domainFunction(program)}`,
  ].join('\n');
}

/** Emits the mapping of section 4.4, step 4, from fields of the offer to fields of the domain. */
function domainFunction(program: Program): string {
  const sources = new Map<string, string>();
  for (const [property, field] of readDecorator<ModelProperty, string>(
    program,
    stateKeys.eip712DomainField,
  )) {
    const owner = property.model?.name;
    const path = owner === 'TokenDomain' ? `offer.extra.${property.name}` : `offer.${property.name}`;
    sources.set(field, field === 'chainId' ? 'chainId' : path);
  }
  const rows = Object.keys(domainTypes).map((field) => {
    const source = sources.get(field);
    if (source === undefined) throw new Error(`No @eip712DomainField supplies ${field}`);
    return source === field ? `    ${field},` : `    ${field}: ${source},`;
  });
  return `import { chainId } from './constants.ts';

/** The signing domain of an offer (section 4.4, step 4). */
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
