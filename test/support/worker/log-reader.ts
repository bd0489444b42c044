import type { EventSourceMessage } from "eventsource-parser";
import { expect, vi } from "vitest";

import { LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { TestProject } from "./project.ts";
import { StreamReader } from "./stream-reader.ts";

type How = { readonly query?: string; readonly headers?: Record<string, string>; readonly token?: string };

/** A client that follows a log as server-sent events. */
export class LogReader extends StreamReader {
  readonly lines: LogLine[] = [];
  end: LogEnd | null = null;

  private constructor(response: Response) {
    super(response, (event) => this.#receive(event));
  }

  /** Opens the stream without reading it yet. */
  static async open(project: TestProject, id: string, how: How = {}): Promise<LogReader> {
    const headers = { accept: "text/event-stream", ...how.headers };
    return new LogReader(await project.get(`/v1/logs/${id}${how.query ?? ""}`, headers, how.token));
  }

  /** Opens the stream and keeps reading it. */
  static async follow(project: TestProject, id: string, how: How = {}): Promise<LogReader> {
    const reader = await LogReader.open(project, id, how);
    void reader.readOn();
    return reader;
  }

  #receive({ event, id, data }: EventSourceMessage): void {
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
    await vi.waitFor(() => expect(this.messages).toContain(message));
  }

  /** Waits until the stream is closed. */
  async closes(): Promise<LogEnd | null> {
    await this.closed();
    return this.end;
  }
}

/** The numbers from 1 to `count`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
