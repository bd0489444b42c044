const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A longer wait than anybody means; timers do not take just any. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * How long to wait before the next try. Half of it is chance, so that those who were cut off together do not come back
 * together.
 * @param failures tries in a row that came to nothing, from 1 on
 * @returns milliseconds, from 125 to 10_000
 */
export function backOffMs(failures: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (failures - 1));
  const [chance = 0] = crypto.getRandomValues(new Uint8Array(1));
  return longest * (0.5 + chance / 512);
}

/** Whether a status says that the same request may go well later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * What `Retry-After` asks for, as seconds or as a date.
 * @returns milliseconds, from 0 to an hour; 0 where it does not ask
 * Source: RFC 9110 section 10.2.3.
 */
export function retryAfterMs(headers: Headers): number {
  const value = headers.get("retry-after") ?? "";
  // The server's own clock, which may be another than the client's.
  const now = Date.parse(headers.get("date") ?? "");
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : 0;
}

/** Waits, until `signal` is aborted at the longest. Leaves neither timer nor listener. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener("abort", over);
  });
}
