import { inject } from "vitest";
import * as z from "zod/mini";

import type { ReceivedRequest, ReceiverAnswer } from "../receivers/webhook-receiver.ts";

const Received = z.array(
  z.object({
    at: z.number(),
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    underWay: z.number(),
    path: z.string(),
  }),
);

/** One target of webhooks. Answers 200 unless the test says otherwise. */
export class Receiver {
  readonly #name = crypto.randomUUID();
  readonly url = `${inject("webhookReceiverUrl")}/hook/${this.#name}`;

  /** The answers to the next requests. The last one is repeated. */
  async answers(...answers: readonly ReceiverAnswer[]): Promise<void> {
    const body = JSON.stringify(answers);
    await (await fetch(this.#control(), { method: "PUT", body })).text();
  }

  async received(): Promise<ReceivedRequest[]> {
    return Received.parse(await (await fetch(this.#control())).json());
  }

  #control(): string {
    return `${inject("webhookReceiverUrl")}/control/${this.#name}`;
  }
}
