import type { TestProject } from "vitest/node";

import { serveWebhookReceiver } from "../receivers/webhook-receiver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Targets of webhooks, on this machine. */
    webhookReceiverUrl: string;
  }
}

/** Tests of the Worker run in workerd, which cannot listen on a port. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const receiver = await serveWebhookReceiver();
  project.provide("webhookReceiverUrl", receiver.url);
  return () => receiver.close();
}
