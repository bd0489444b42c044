import { type Failure, type ResultOf, succeed } from "#contract/lib/result.ts";

type Ended = { readonly error: unknown };

/**
 * One request and its response. The connection ends when the response is complete, when the request is aborted, or
 * after too long a silence.
 */
export class Connection {
  readonly #aborted = new AbortController();
  readonly #silenceMs: number;
  readonly #outer: AbortSignal | undefined;
  #ended: Failure<Ended> | null = null;
  #onEnd: (ended: Failure<Ended>) => void = () => undefined;

  /** @param outer aborts the connection */
  constructor(silenceMs: number, outer: AbortSignal | undefined) {
    this.#silenceMs = silenceMs;
    this.#outer = outer;
    outer?.addEventListener("abort", this.end);
    if (outer?.aborted === true) this.end();
  }

  /** Waits for the response to a request. A response that arrives after the end is closed. */
  async answer(request: (signal: AbortSignal) => Promise<Response>): Promise<ResultOf<Response, Ended>> {
    const answered = request(this.#aborted.signal);
    const step = await this.wait(answered);
    // An injected fetch may ignore the signal.
    if (!step.ok) void answered.then((late) => late.body?.cancel()).catch(() => undefined);
    return step;
  }

  /**
   * Waits for a promise. The result is an error if it rejects or the connection ends first. Never throws. One call at a
   * time.
   */
  async wait<Value>(step: Promise<Value>): Promise<ResultOf<Value, Ended>> {
    const silence = setTimeout(() => {
      this.#end(new Error(`no data was received for ${this.#silenceMs / 1000} s`));
    }, this.#silenceMs);
    // Not Promise.race with one promise for all steps: that would keep every result in memory until the end.
    const outcome = await new Promise<ResultOf<Value, Ended>>((resolve) => {
      this.#onEnd = resolve;
      if (this.#ended !== null) resolve(this.#ended);
      step.then(
        (value) => resolve(succeed(value)),
        (error: unknown) => resolve({ ok: false, error }),
      );
    });
    clearTimeout(silence);
    return outcome;
  }

  /** Ends the connection. Can be called repeatedly. */
  readonly end = (): void => this.#end(new Error("the connection was closed"));

  #end(error: Error): void {
    this.#outer?.removeEventListener("abort", this.end);
    this.#ended ??= { ok: false, error };
    this.#onEnd(this.#ended);
    this.#aborted.abort();
  }
}
