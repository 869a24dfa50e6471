/** The real time. Chain, offers and windows of authorizations use it. */
export function systemClock(): Date {
  return new Date();
}
