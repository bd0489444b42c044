import { logFailure } from "#worker/log-failure.ts";
import { backOffMs } from "#contract/lib/back-off.ts";

/** Runs jobs of a Durable Object that may fail. Logs and counts each failure; the object's alarm retries. */
export class RetryTracker {
  readonly #at: string;
  readonly #about: () => Record<string, unknown>;
  /** How many times in a row each job has failed. */
  readonly #failures = new Map<string, number>();

  /** @param about ids for each log line: whose object this is */
  constructor(at: string, about: () => Record<string, unknown>) {
    this.#at = at;
    this.#about = about;
  }

  /** The highest count of consecutive failures of any job. */
  get failures(): number {
    return Math.max(0, ...this.#failures.values());
  }

  /** Whether the last run of a job failed. */
  hasFailed(what: string): boolean {
    return this.#failures.has(what);
  }

  /** The delay before the next retry, in milliseconds. */
  get delayMs(): number {
    return retryDelayMs(this.failures);
  }

  /** Never throws. */
  async run(what: string, job: () => Promise<void>): Promise<void> {
    try {
      await job();
      this.#failures.delete(what);
    } catch (error) {
      this.fail(what, error);
    }
  }

  fail(what: string, error: unknown): void {
    const failures = (this.#failures.get(what) ?? 0) + 1;
    this.#failures.set(what, failures);
    this.log(what, error, failures);
  }

  /** Logs a failure that is not retried. */
  log(what: string, error: unknown, failures = 1): void {
    logFailure(this.#at, { ...this.#about(), what, failures }, error);
  }

  succeed(what: string): void {
    this.#failures.delete(what);
  }
}

/**
 * How long to wait before an effect that failed is tried again.
 * @param failures how many times in a row it has failed
 * @returns milliseconds, from 1,000 to 60,000
 */
export function retryDelayMs(failures: number): number {
  return backOffMs(failures + 1, { firstMs: 1000, longestMs: 60_000 });
}
