import type { EventSourceMessage } from "eventsource-parser";
import { expect, vi } from "vitest";

import { Event } from "#contract/endpoints/events/schemas.ts";
import { call } from "./call.ts";
import { StreamReader } from "./stream-reader.ts";

type How = { readonly token: string; readonly query?: string; readonly after?: number };

/** A client that follows events as server-sent events. */
export class EventReader extends StreamReader {
  readonly events: Event[] = [];

  private constructor(response: Response) {
    super(response, (event) => this.#receive(event));
  }

  /** Opens the stream and keeps reading it. Returns when the stream has begun. */
  static async follow({ token, query = "", after }: How): Promise<EventReader> {
    const headers = {
      accept: "text/event-stream",
      ...(after === undefined ? {} : { "last-event-id": String(after) }),
    };
    const reader = new EventReader(await call(`/v1/events${query}`, { token, headers }));
    void reader.readOn();
    return reader;
  }

  #receive({ event, id, data }: EventSourceMessage): void {
    const parsed = Event.parse(JSON.parse(data));
    if (event !== undefined || id !== String(parsed.data.sequence))
      throw new Error(`event ${event}, id ${id}: ${data}`);
    this.events.push(parsed);
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  get numbers(): number[] {
    return this.events.map(({ data }) => data.sequence);
  }

  /** Waits for an event. */
  async sees({ id }: { readonly id: string }): Promise<void> {
    await vi.waitFor(() => expect(this.ids).toContain(id));
  }
}
