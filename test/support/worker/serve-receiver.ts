import type { TestProject } from "vitest/node";

import { serveIssuers } from "../receivers/issuer-server.ts";
import { serveWebhookReceiver } from "../receivers/webhook-receiver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Targets of webhooks, on this machine. */
    webhookReceiverUrl: string;
    /** Issuers of identity tokens, on this machine. */
    issuersUrl: string;
  }
}

/** Tests of the Worker run in workerd, which cannot listen on a port. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const receiver = await serveWebhookReceiver();
  const issuers = await serveIssuers();
  project.provide("webhookReceiverUrl", receiver.url);
  project.provide("issuersUrl", issuers.url);
  return () => {
    receiver.close();
    issuers.close();
  };
}
