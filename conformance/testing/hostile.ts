import type { Change } from './fake-target.ts';

/** Text from a target that could harm a report or a terminal. */
export const hostileText = [
  '</script></style></title><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  ']]>',
  '&lt;&amp;&#0;',
  '\u001b[2J\u001b]0;title\u0007',
  'line\nline\r\nline\u2028line',
  'nul\0nul',
  'lone \ud800 surrogate \udfff',
  'not a character \uffff',
  'right to left \u202e override',
  '| **bold** | [link](https://elsewhere.example) `code` @someone #1',
  "' \" $(reboot) `reboot` \\' ; |",
].join(' ');

/** Text that a CI could take for commands. */
export const commandText =
  '\n::error::pwn\n##[error]pwn\r\n::stop-commands::tok\n##vso[task.complete]\u2028##teamcity[x]\n::add-mask::x\n';

/** A gateway that puts the hostile text into every field that may contain text, with long error messages. */
export const hostile: Change = ({ offer, completion, receipt }) => ({
  error: (status, type, code) => ({
    status,
    headers: {},
    body: {
      error: {
        message: hostileText + commandText + 'x'.repeat(60_000),
        type: `${type}${hostileText}`,
        code: `${code}${commandText}`,
      },
    },
  }),
  finish: (reply) =>
    reply.status === 402
      ? {
          ...reply,
          headers: { ...reply.headers, 'Content-Type': '::error::pwn ##[error]pwn' },
          body: { [commandText]: commandText },
        }
      : reply,
  offer: (...of) => ({ ...offer(...of), scheme: hostileText, mimeType: commandText }),
  completion: (...of) => ({ ...completion(...of), object: hostileText }),
  receipt: (authorization) => ({ ...receipt(authorization), network: hostileText }),
});
