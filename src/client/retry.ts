import { backOffMs } from "#contract/lib/back-off.ts";

const BETWEEN_TRIES = { firstMs: 250, longestMs: 10_000 };
/** The upper limit of `Retry-After`: timers do not accept every number. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * How long to wait before the next try. Half of the wait is random, so that clients that lost their connection at the
 * same time do not all return at the same time.
 * @param failures consecutive failed tries, 1 after the first
 * @returns milliseconds, from 125 to 10_000
 */
export function retryDelayMs(failures: number): number {
  const [chance = 0] = crypto.getRandomValues(new Uint8Array(1));
  return backOffMs(failures, BETWEEN_TRIES) * (0.5 + chance / 512);
}

/** Whether the same request may succeed later. @param status of the answer; 0: there was none */
export function isTemporary(status: number): boolean {
  return status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * The delay of a `Retry-After` header, which is in seconds or a date.
 * @returns milliseconds, from 0 to an hour; 0 without the header
 * Source: RFC 9110 section 10.2.3.
 */
export function retryAfterMs(headers: Headers): number {
  const value = headers.get("retry-after") ?? "";
  // By the server's clock, which can differ from the client's.
  const now = Date.parse(headers.get("date") ?? "");
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : 0;
}
