const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after an attempt the next one follows. Source: Standard Webhooks 1.0.0, "Retry schedule". */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** How many attempts a delivery has. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/** Date.parse would also read a text such as `-5`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A target may ask for a longer pause, but not for more than this. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** So that many deliveries that failed at once do not all return at once. */
const JITTER = 0.1;

/**
 * How long after a failed attempt the next one follows, in milliseconds; null: it was the last.
 * @param attempts how many attempts the delivery has had
 * @param random from 0 to 1
 */
export function delayAfter(attempts: number, random: number): number | null {
  const delay = DELAYS_MS[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * random));
}

/**
 * How long a target asks to be left alone, in milliseconds; null: it does not ask.
 * @param header Retry-After: seconds or a date. Source: RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  const asked = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : date - now;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), MAX_RETRY_AFTER_MS) : null;
}
