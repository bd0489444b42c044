type BackOffSettings = { readonly backOffBaseMs: number; readonly backOffCapMs: number };

/**
 * Delay before the next try, with full jitter: anything from nothing to a ceiling that doubles.
 * @param failures consecutive failed tries so far, 1 after the first
 * @param chance from 0 to 1
 * @returns milliseconds. Never throws.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
 */
export function backOffMs(failures: number, chance: number, settings: BackOffSettings): number {
  const doublings = Math.min(Math.max(failures - 1, 0), 30);
  const ceiling = Math.min(settings.backOffCapMs, settings.backOffBaseMs * 2 ** doublings);
  return Math.round(chance * ceiling);
}
