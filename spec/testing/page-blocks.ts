/** A command, or a whole block of another language, of one page. */
export type Block = {
  readonly page: string;
  /** The info string of the fence; `sh` for a command inside a sentence, and empty for a picture. */
  readonly language: string;
  readonly text: string;
};

const fencePattern = /^```(\w*)\n([\s\S]*?)^```$/gm;
const inlinePattern = /`((?:[A-Z_]+=\S+ )*(?:npm|npx) [^`]+)`/g;

/** Reads each command and each other code block of a page, in order, without repetitions. */
export function readBlocks(page: string, text: string): readonly Block[] {
  const fenced = [...text.matchAll(fencePattern)].flatMap(([, language = '', code = '']) =>
    language === 'sh'
      ? splitCommands(code).map((command) => ({ page, language, text: command }))
      : [{ page, language, text: code }],
  );
  const inline = [...text.replaceAll(fencePattern, '').matchAll(inlinePattern)].map(([, command = '']) => ({
    page,
    language: 'sh',
    text: command,
  }));
  const all = [...fenced, ...inline];
  return all.filter((block, index) => all.findIndex((other) => other.text === block.text) === index);
}

/** The commands of a shell block, without comments and with continued lines joined. */
function splitCommands(code: string): readonly string[] {
  return code
    .replaceAll(/\s+# .*$/gm, '')
    .replaceAll(/ \\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
}
