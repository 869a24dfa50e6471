/**
 * The only variables that a program of a test gets from the test run. Others may configure another gateway. The
 * compile cache halves the start of a program.
 */
export const programEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};
