/** Titles of the contract's sections, for readers. Unknown sections have a number only. */
export const sectionTitles: Readonly<Record<string, string>> = {
  '0': 'The whole interface',
  '1': 'What the service does',
  '2.1': 'Chat completion request',
  '2.2': 'Message object',
  '2.3': 'Tool definition',
  '2.4': 'Tool call object',
  '2.5': 'Text completion request',
  '2.6': 'Chat completion response',
  '2.7': 'Text completion response',
  '2.8': 'Payment requirements',
  '2.9': 'Payment authorization',
  '2.10': 'Payment object',
  '2.11': 'Payment receipt',
  '3': 'States and transitions',
  '4.1': 'POST /v1/chat/completions',
  '4.2': 'POST /v1/completions',
  '4.3': 'Settlement mode header',
  '4.4': 'Payment flow',
  '5': 'Authentication',
  '7': 'Errors',
  '8': 'Limits',
};

/** Compares by number: 2.9 comes before 2.11. */
export function compareSections(one: string, other: string): number {
  const [a, b] = [one.split('.').map(Number), other.split('.').map(Number)];
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}
