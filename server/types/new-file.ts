/** The sentence about a name that a new file cannot get. */
export function describeTaken(path: string): string {
  return `${path} exists already. Name another file with --out`;
}

const denied: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/** Describes why a new file could not be opened. Other faults keep the words of the system. */
export function describeOpenFault(cause: unknown, path: string): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'EEXIST') return new Error(describeTaken(path));
  if (code === 'ENOENT')
    return new Error(`the folder of ${path} does not exist. Create it, or name another file with --out`);
  if (code === 'ENOTDIR')
    return new Error(`a folder in the path of ${path} is a file. Name another file with --out`);
  if (code === 'ENAMETOOLONG')
    return new Error(
      `the name of ${path}, or of a file beside it, is too long. Name a shorter one with --out`,
    );
  if (denied.includes(code))
    return new Error(
      `${path} cannot be written (${code}). Let this user write there, or name another file with --out`,
    );
  return cause instanceof Error ? cause : new Error(String(cause));
}
