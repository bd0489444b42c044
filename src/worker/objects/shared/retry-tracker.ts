import { logFailure } from "#worker/log-failure.ts";
import { retryDelayMs } from "#worker/objects/shared/retry-delay.ts";

/** Jobs of a Durable Object that may fail: a failure is logged and counted, and the object's alarm tries again. */
export class RetryTracker {
  readonly #at: string;
  readonly #about: () => Record<string, unknown>;
  /** How many times in a row each job has failed. */
  readonly #failures = new Map<string, number>();

  /** @param about what each line of log says besides `at`: whose object it is */
  constructor(at: string, about: () => Record<string, unknown>) {
    this.#at = at;
    this.#about = about;
  }

  /** How many times in a row the job that is worst off has failed. */
  get failures(): number {
    return Math.max(0, ...this.#failures.values());
  }

  /** Whether a job failed when it was last tried. */
  hasFailed(what: string): boolean {
    return this.#failures.has(what);
  }

  /** How long to wait before the next try, in milliseconds. */
  get delayMs(): number {
    return retryDelayMs(this.failures);
  }

  /** Never throws. */
  async make(what: string, job: () => Promise<void>): Promise<void> {
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

  /** For what nobody tries again. */
  log(what: string, error: unknown, failures = 1): void {
    logFailure(this.#at, { ...this.#about(), what, failures }, error);
  }

  succeed(what: string): void {
    this.#failures.delete(what);
  }
}
