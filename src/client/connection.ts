import { type Failure, type ResultOf, succeed } from "#contract/lib/result.ts";

type Ended = { readonly error: unknown };

/** One request and its answer, until they are over, are told to end, or have been silent for too long. */
export class Connection {
  readonly #aborted = new AbortController();
  readonly #silenceMs: number;
  readonly #outer: AbortSignal | undefined;
  #ended: Failure<Ended> | null = null;
  #onEnd: (ended: Failure<Ended>) => void = () => undefined;

  /** @param outer ends it */
  constructor(silenceMs: number, outer: AbortSignal | undefined) {
    this.#silenceMs = silenceMs;
    this.#outer = outer;
    outer?.addEventListener("abort", this.end);
    if (outer?.aborted === true) this.end();
  }

  /** The answer to a request; one that comes too late is closed. */
  async answer(request: (signal: AbortSignal) => Promise<Response>): Promise<ResultOf<Response, Ended>> {
    const answered = request(this.#aborted.signal);
    const step = await this.wait(answered);
    // A fetch that is injected may take no signal.
    if (!step.ok) void answered.then((late) => late.body?.cancel()).catch(() => undefined);
    return step;
  }

  /** What comes of a step, where it fails with an error, or the connection ends before. One at a time; never throws. */
  async wait<Value>(step: Promise<Value>): Promise<ResultOf<Value, Ended>> {
    const silence = setTimeout(() => {
      this.#end(new Error(`nothing has been heard for ${this.#silenceMs / 1000} s`));
    }, this.#silenceMs);
    // No race with one promise for all steps: that would keep what each of them gave until the last.
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

  /** Ends it now. Safe to repeat. */
  readonly end = (): void => this.#end(new Error("the connection was ended"));

  #end(error: Error): void {
    this.#outer?.removeEventListener("abort", this.end);
    this.#ended ??= { ok: false, error };
    this.#onEnd(this.#ended);
    this.#aborted.abort();
  }
}
