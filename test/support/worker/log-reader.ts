import { createParser, type EventSourceMessage } from "eventsource-parser";
import { expect, vi } from "vitest";

import { LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { TestProject } from "./project.ts";

type How = { readonly query?: string; readonly headers?: Record<string, string>; readonly token?: string };

/** A client that follows a log as server-sent events. */
export class LogReader {
  readonly response: Response;
  readonly lines: LogLine[] = [];
  end: LogEnd | null = null;
  comments = 0;
  isClosed = false;
  #isPaused = false;
  #hasLeft = false;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: (event) => this.#take(event),
    onComment: () => (this.comments += 1),
    onError: (error) => {
      throw error;
    },
  });
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  private constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.response = response;
    this.#reader = response.body.getReader();
  }

  /** Opens the stream without reading it yet. */
  static async open(project: TestProject, id: string, how: How = {}): Promise<LogReader> {
    const headers = { accept: "text/event-stream", ...how.headers };
    const response = await project.get(`/v1/logs/${id}${how.query ?? ""}`, headers, how.token);
    expect(response.status).toBe(200);
    return new LogReader(response);
  }

  /** Opens the stream and keeps reading it. */
  static async follow(project: TestProject, id: string, how: How = {}): Promise<LogReader> {
    const reader = await LogReader.open(project, id, how);
    void reader.readOn();
    return reader;
  }

  async readOn(): Promise<void> {
    this.#isPaused = false;
    try {
      while (!this.#isPaused) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#parser.feed(this.#decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      if (!this.#hasLeft) throw error;
    } finally {
      if (!this.#isPaused) this.isClosed = true;
    }
  }

  /** Stops reading after the current chunk. */
  pause(): void {
    this.#isPaused = true;
  }

  #take({ event, id, data }: EventSourceMessage): void {
    if (event === "end") {
      this.end = LogEnd.parse(JSON.parse(data));
      return;
    }
    const line = LogLine.parse(JSON.parse(data));
    if (event !== undefined || id !== String(line.line)) throw new Error(`event ${event}, id ${id}: ${data}`);
    this.lines.push(line);
  }

  get numbers(): number[] {
    return this.lines.map(({ line }) => line);
  }

  get messages(): string[] {
    return this.lines.map(({ message }) => message);
  }

  /** Waits for a line. */
  async sees(message: string): Promise<void> {
    await vi.waitFor(() => expect(this.messages).toContain(message), { timeout: 10_000 });
  }

  /** Waits until the stream is closed. */
  async closes(): Promise<LogEnd | null> {
    await vi.waitFor(() => expect(this.isClosed).toBe(true), { timeout: 15_000 });
    return this.end;
  }

  /** Disconnects. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#reader.cancel();
  }
}

/** The numbers from 1 to `count`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
