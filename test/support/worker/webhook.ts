import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type * as z from "zod/mini";

import type { Event } from "#contract/endpoints/events/schemas.ts";
import {
  type Delivery,
  DeliveryRows,
  WebhookDetails,
  WebhookWithSecret,
} from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import type { Outlet } from "#worker/objects/outlet/outlet.ts";
import { createAccount, createToken, ids, type TestAccount } from "./account.ts";
import { call } from "./call.ts";
import { Receiver } from "./receiver.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Its token is valid for as long as a webhook fails before it is disabled. */
export async function createLongLivedAccount(): Promise<TestAccount> {
  const account = await createAccount();
  const { secret } = await createToken(account.id, { expiresAt: Date.now() + 30 * DAY_MS });
  return { ...account, token: secret };
}

type Settings = Readonly<Record<string, unknown>>;

/** A webhook of the kind `standard` with a receiver of its own, used by its account's token. */
export class TestWebhook {
  readonly account: TestAccount;
  readonly receiver: Receiver;
  readonly id: WebhookId;
  readonly secret: string;
  #sequence = 0;

  private constructor(account: TestAccount, receiver: Receiver, { id, secret }: WebhookWithSecret) {
    this.account = account;
    this.receiver = receiver;
    this.id = id;
    this.secret = secret ?? "";
  }

  static async create(
    given: Settings | ((url: string) => Settings) = {},
    account?: TestAccount,
  ): Promise<TestWebhook> {
    const receiver = new Receiver();
    const owner = account ?? (await createLongLivedAccount());
    const settings = typeof given === "function" ? given(receiver.url) : given;
    // So that what its account does sends it nothing: a test brings it events itself.
    const body = { kind: "standard", url: receiver.url, events: ["audit.*"], ...settings };
    const response = await call("/v1/webhooks", { method: "POST", token: owner.token, body });
    expect(response.status).toBe(201);
    return new TestWebhook(owner, receiver, WebhookWithSecret.parse(await response.json()));
  }

  /** A new stub: one from before a kill stays broken. */
  readonly outlet = (): DurableObjectStub<Outlet> => env.OUTLET.getByName(this.id);

  async request(path = "", method = "GET", body?: unknown): Promise<Response> {
    const { token } = this.account;
    return await call(`/v1/webhooks/${this.id}${path}`, { method, token, body });
  }

  async read<Schema extends z.ZodMiniType>(schema: Schema, path = ""): Promise<z.output<Schema>> {
    const response = await this.request(path);
    expect(response.status).toBe(200);
    return schema.parse(await response.json());
  }

  async details(): Promise<WebhookDetails> {
    return await this.read(WebhookDetails);
  }

  /** Newest first. */
  async deliveries(): Promise<readonly Delivery[]> {
    return (await this.read(DeliveryRows, "/deliveries")).deliveries;
  }

  /** An event that the webhook's own feed would bring. */
  event(): Event {
    this.#sequence += 1;
    return {
      id: ids.event(),
      type: "account.updated",
      timestamp: new Date().toISOString(),
      data: {
        sequence: this.#sequence,
        actor: { type: "token", id: "tok_1", name: "CI" },
        account: { id: this.account.id },
        changed: ["log_retention_days"],
      },
    };
  }

  /** Accepts events as from the feed, and sends them. @returns their ids */
  async accepts(count = 1): Promise<string[]> {
    const events = Array.from({ length: count }, () => this.event());
    await this.outlet().accept(events);
    await this.alarm();
    return events.map(({ id }) => id);
  }

  /** Runs the alarm now, whether or not it is due. @returns whether one was set */
  async alarm(): Promise<boolean> {
    return await runDurableObjectAlarm(this.outlet());
  }

  /** When the next alarm is, in Unix milliseconds; null: none is set. */
  async alarmAt(): Promise<number | null> {
    return await runInDurableObject(this.outlet(), (_outlet, { storage }) => storage.getAlarm());
  }
}
