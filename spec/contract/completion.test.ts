import { CompletionRequest } from '@paid-inference/contract/validators';
import { describeRules, required, values } from '../testing/rules.ts';
import { notStrings } from '../testing/values.ts';

const completion = { model: 'alder/alder-mini', prompt: 'Once upon a time' };

describeRules('2.5 text completion request', CompletionRequest, [
  required(completion, 'model'),
  values('model is a string', completion, 'model', ['alder/alder-mini'], notStrings),
  values('model is not empty (D-39)', completion, 'model', ['m'], ['']),
  required(completion, 'prompt'),
  values('prompt is a string', completion, 'prompt', ['', 'Once'], [...notStrings, ['Once'], [1, 2]]),
  values('max_tokens is an integer', completion, 'max_tokens', [1, 100], ['100', 1.5, null]),
  values('max_tokens is at least 1 (D-12)', completion, 'max_tokens', [1], [0, -1]),
  values('temperature is a number from 0 to 2', completion, 'temperature', [0, 2], [-0.1, 2.1, '1', null]),
  values('stop is an array', completion, 'stop', [['\n'], []], [1, null, {}]),
  values('stop may be one string (D-10)', completion, 'stop', ['\n'], [10]),
  values(
    'stop has at most 16 sequences (D-10)',
    completion,
    'stop',
    [Array(16).fill('s')],
    [Array(17).fill('s')],
  ),
  {
    rule: 'an unknown field is accepted (D-09)',
    keeps: [{ ...completion, suffix: '.' }],
    breaks: [{ model: 'm', suffix: '.' }],
    at: '/prompt',
  },
  { rule: 'the body is an object', keeps: [completion], breaks: [[], 'Once', 1, null], at: '' },
]);
