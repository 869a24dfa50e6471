import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { ValidationError } from '@paid-inference/contract/validators';

/** A longer path helps no client, and could be as long as the body. */
export const pathLengthMax = 200;

/** The contract has one discriminated union: messages, discriminated by role. */
const roles = Object.keys(document.components.schemas.Message.discriminator.mapping);

/** The fault, its place, and the change that the client has to make. */
export type InvalidRequest = { readonly message: string; readonly param: string | null };

/** Turns the errors of a validator into one sentence about one place (D-08). */
export function describeValidationError(errors: readonly ValidationError[]): InvalidRequest {
  const first = deepest(errors);
  if (first === undefined) return { message: 'The body is invalid.', param: null };
  const path = formatPath(first);
  const isLong = path.length > pathLengthMax;
  const param = path === '' || isLong ? null : path;
  const where = isLong
    ? `A member whose path has more than ${pathLengthMax} characters`
    : (param ?? 'The body');
  return { message: `${where} ${describeRule(first, errors)}.`, param };
}

/** Picks the deepest error: in a union it belongs to the branch that matched most. */
function deepest(errors: readonly ValidationError[]): ValidationError | undefined {
  const depth = (error: ValidationError) => error.instancePath.split('/').length;
  return errors.reduce<ValidationError | undefined>(
    (best, error) => (best === undefined || depth(error) > depth(best) ? error : best),
    undefined,
  );
}

/** `/messages/2` and a missing `tool_call_id` become `messages[2].tool_call_id`. */
function formatPath(error: ValidationError): string {
  const steps = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') steps.push(String(error.params['missingProperty']));
  if (error.keyword === 'discriminator') steps.push(String(error.params['tag']));
  return steps
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');
}

function describeRule(error: ValidationError, all: readonly ValidationError[]): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'false schema':
      return 'is not allowed here';
    case 'discriminator':
      // The same sentence for a role that is missing, no string, or unknown.
      return `must be one of ${roles.join(', ')}`;
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
    case 'minItems':
      return `must have at least ${String(error.params['limit'])} item(s)`;
    case 'maxItems':
      return `must have at most ${String(error.params['limit'])} item(s)`;
    case 'minLength':
      return 'must not be empty';
    case 'type':
      return `must be ${typesAt(error.instancePath, all).join(' or ')}`;
    default:
      return error.message ?? 'is invalid';
  }
}

function typesAt(path: string, errors: readonly ValidationError[]): string[] {
  const here = errors.filter((error) => error.instancePath === path && error.keyword === 'type');
  return [...new Set(here.map((error) => String(error.params['type'])))];
}
