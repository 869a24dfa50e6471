import { ToolCall, ToolDefinition } from '@paid-inference/contract/validators';
import { describeRules, required, values, without } from '../testing/rules.ts';
import { call, notStrings, tool } from '../testing/values.ts';

const withFunction = (content: object) => ({ ...tool, function: { ...tool.function, ...content } });
const withParameters = (content: object) =>
  withFunction({ parameters: { ...tool.function.parameters, ...content } });

// Section 2.3 names no required fields. The required fields type, function and function.name are a decision
// (D-39).
describeRules('2.3 tool definition', ToolDefinition, [
  { ...required(tool, 'type'), rule: 'type is required (D-39)' },
  values('type is `function`', tool, 'type', ['function'], ['tool', 'Function', null, 1]),
  { ...required(tool, 'function'), rule: 'function is required (D-39)' },
  {
    rule: 'function.name is required (D-39)',
    keeps: [tool],
    breaks: [{ ...tool, function: without(tool.function, 'name') }],
    at: '/function/name',
  },
  {
    rule: 'function.name is a non-empty string (D-39)',
    keeps: [withFunction({ name: 'multiply' })],
    breaks: [...notStrings, ''].map((name) => withFunction({ name })),
    at: '/function/name',
  },
  {
    rule: 'function.description is an optional string (D-39)',
    keeps: [tool, { ...tool, function: without(tool.function, 'description') }],
    breaks: notStrings.map((description) => withFunction({ description })),
    at: '/function/description',
  },
  {
    rule: 'function.parameters is an optional object (D-39)',
    keeps: [
      tool,
      withFunction({ parameters: {} }),
      { ...tool, function: without(tool.function, 'parameters') },
    ],
    breaks: ['{}', 1, null, []].map((parameters) => withFunction({ parameters })),
    at: '/function/parameters',
  },
  {
    rule: 'parameters.type is a string',
    keeps: [withParameters({ type: 'object' })],
    breaks: [1, null].map((type) => withParameters({ type })),
    at: '/function/parameters/type',
  },
  {
    rule: 'parameters.properties maps names to properties, each with type and description',
    keeps: [withParameters({ properties: { a: { type: 'number', description: 'First' }, b: {} } })],
    breaks: [withParameters({ properties: [] }), withParameters({ properties: 'a' })],
    at: '/function/parameters/properties',
  },
  {
    rule: 'the description of a property is a string',
    keeps: [withParameters({ properties: { a: { description: 'First' } } })],
    breaks: [withParameters({ properties: { a: { description: 1 } } })],
    at: '/function/parameters/properties/a/description',
  },
  {
    rule: 'parameters.required is an array of names',
    keeps: [withParameters({ required: ['a', 'b'] }), withParameters({ required: [] })],
    breaks: ['a', { a: true }, null].map((names) => withParameters({ required: names })),
    at: '/function/parameters/required',
  },
  {
    rule: 'an unknown keyword of JSON Schema is accepted (D-09)',
    keeps: [withParameters({ additionalProperties: false, $defs: {} })],
    breaks: [withParameters({ additionalProperties: false, required: [1] })],
    at: '/function/parameters/required/0',
  },
]);

describeRules('2.4 tool call object', ToolCall, [
  required(call, 'id'),
  values('id is a string', call, 'id', ['call-1'], notStrings),
  required(call, 'type'),
  values('type is `function`', call, 'type', ['function'], ['tool', null]),
  required(call, 'function'),
  ...(['name', 'arguments'] as const).flatMap((field) => [
    {
      rule: `function.${field} is required`,
      keeps: [call],
      breaks: [{ ...call, function: without(call.function, field) }],
      at: `/function/${field}`,
    },
    {
      rule: `function.${field} is a string`,
      keeps: [call],
      breaks: [{ a: 6 }, ...notStrings].map((content) => ({
        ...call,
        function: { ...call.function, [field]: content },
      })),
      at: `/function/${field}`,
    },
  ]),
]);
