import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const levels: Readonly<Record<number, readonly [string, Style]>> = {
  20: ['DEBUG', 'gray'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
};

/** Formats a line of JSON for a terminal: time, level, message, and the fields (D-190). */
export function createPrettyLine(hasColours: boolean): (json: string) => string {
  const paint = (style: Style, text: string) =>
    hasColours ? styleText(style, text, { validateStream: false }) : text;

  return (json) => {
    const line = parseLine(json);
    if (line === null) return `${showControls(json.trimEnd())}\n`;
    const { time, level, msg = '', ...fields } = line;
    const [label, style] = levels[Number(level)] ?? [String(level), 'gray'];
    const parts = Object.entries(fields).map(
      ([name, value]) => `${paint('gray', `${showControls(name)}=`)}${showValue(value)}`,
    );
    const message = showControls(String(msg));
    return `${[paint('gray', timeOfDay(Number(time))), paint(style, showControls(label)), message, ...parts].join(' ')}\n`;
  };
}

function parseLine(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const line: unknown = JSON.parse(json);
    return typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function showValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"={}[\]]+$/.test(value)) return showControls(value);
  return showControls(JSON.stringify(value));
}

function timeOfDay(ms: number): string {
  const time = new Date(ms);
  const milliseconds = String(time.getMilliseconds()).padStart(3, '0');
  return `${time.toTimeString().slice(0, 8)}.${milliseconds}`;
}

/**
 * Control characters could move the cursor, hide text or begin a line. Some text comes from clients and nodes.
 */
export function showControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
