/** Programs of the manuals, which `server/web/build.ts` reads when it builds the page. */
declare module 'virtual:programs' {
  /** The program in Go of client/OTHER-LANGUAGES.md, which its tests run. */
  export const goProgram: string;
}
