import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { describeEndpoint } from './bazaar.ts';

describe.each([
  ['chat', ChatCompletionRequest, ['model', 'messages']],
  ['text', CompletionRequest, ['model', 'prompt']],
] as const)('D-286: the endpoint for %s requests', (kind, validate, required) => {
  const { info, schema } = describeEndpoint(kind, 'birch/birch-base');
  const { body } = info.input;

  it('has a valid body with the given model as its example', () => {
    expect(validate(body)).toBe(true);
    expect(body).toMatchObject({ model: 'birch/birch-base' });
  });

  it('matches its own schema, as directories require', () => {
    const matches = new Ajv2020().compile(schema);
    expect(matches(info)).toBe(true);
    expect(matches({ ...info, input: { ...info.input, method: 'GET' } })).toBe(false);
    for (const field of required) {
      const incomplete = { ...body, [field]: undefined };
      expect(
        matches(JSON.parse(JSON.stringify({ ...info, input: { ...info.input, body: incomplete } }))),
      ).toBe(false);
    }
  });

  it('has the fields of a completion in its schema', () => {
    const fields = ['id', 'object', 'created', 'model', 'choices', 'usage'];
    expect(schema).toMatchObject({
      properties: { output: { properties: { example: { required: fields } } } },
    });
    const example = { id: 'one' };
    expect(new Ajv2020().compile(schema)({ ...info, output: { type: 'json', example } })).toBe(false);
  });

  it('refers to no schema outside of itself', () => {
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(schema).not.toHaveProperty('$id');
  });
});
