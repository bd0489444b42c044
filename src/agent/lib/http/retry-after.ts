/** What is waited at most: a run can't wait for longer without counting as lost. */
const MAX_SECONDS = 60;

/** How long the header Retry-After asks to wait, in milliseconds; 0 without one. Only its form in seconds is understood. */
export function retryAfterMs(header: string | undefined): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_SECONDS) * 1000 : 0;
}
