import { createParser, type EventSourceMessage } from "eventsource-parser";
import { expect, vi } from "vitest";

/** A client that reads server-sent events. */
export class StreamReader {
  readonly response: Response;
  comments = 0;
  isClosed = false;
  isReading = false;
  #isPaused = false;
  #hasLeft = false;
  readonly #decoder = new TextDecoder();
  readonly #parser;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response, receive: (event: EventSourceMessage) => void) {
    expect(response.status).toBe(200);
    if (response.body === null) throw new Error("no body");
    this.response = response;
    this.#reader = response.body.getReader();
    this.#parser = createParser({
      onEvent: receive,
      onComment: () => (this.comments += 1),
      onError: (error) => {
        throw error;
      },
    });
  }

  async readOn(): Promise<void> {
    this.#isPaused = false;
    this.isReading = true;
    try {
      while (!this.#isPaused) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#parser.feed(this.#decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      if (!this.#hasLeft) throw error;
    } finally {
      this.isReading = false;
      if (!this.#isPaused) this.isClosed = true;
    }
  }

  /** Stops reading after the current chunk. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Waits until the stream is closed. */
  async closed(): Promise<void> {
    await vi.waitFor(() => expect(this.isClosed).toBe(true));
  }

  /** Disconnects. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#reader.cancel();
  }
}
