/** The result of a wait whose client has left. */
export const hasLeft = Symbol('left');

/** The result of a wait, or `hasLeft` once the client has left. The wait then holds nothing of the caller (D-432). */
export async function orLeft<Result>(
  wait: Promise<Result>,
  left: AbortSignal,
): Promise<Result | typeof hasLeft> {
  const gone = Promise.withResolvers<typeof hasLeft>();
  const leave = () => gone.resolve(hasLeft);
  if (left.aborted) leave();
  left.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([wait, gone.promise]);
  } finally {
    left.removeEventListener('abort', leave);
  }
}
