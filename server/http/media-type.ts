import { errorReply, type FinishedReply } from './reply.ts';

/** Finds the fault of a body that is not declared as JSON; null for none. */
export function findMediaTypeFault(contentType: string | undefined): FinishedReply | null {
  if (contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json') return null;
  const message = 'Send the body as Content-Type: application/json.';
  return errorReply('unsupported_media_type', message, { param: 'Content-Type' });
}
