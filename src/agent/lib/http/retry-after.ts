/** The longest wait: a run that reports nothing for longer counts as lost. */
const MAX_SECONDS = 60;

/**
 * The wait that a Retry-After header asks for, in milliseconds; 0 without the header. Only the form in seconds is
 * supported.
 */
export function retryAfterMs(header: string | undefined): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_SECONDS) * 1000 : 0;
}
