/** The shortest and the longest wait between two tries, in milliseconds. */
export type BackOff = { readonly firstMs: number; readonly longestMs: number };

/** Above this the result is the longest wait anyway, and the number must stay finite. */
const MAX_DOUBLINGS = 30;

/**
 * How long to wait before the next try: the first wait, doubled with each further failure, up to the longest.
 * Callers that many clients share add randomness, so that the clients do not all return at the same time.
 * @param failures consecutive failed tries, 1 after the first
 * @returns milliseconds. Never throws.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  const doublings = Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS);
  return Math.min(longestMs, firstMs * 2 ** doublings);
}
