import type { TestProject } from "vitest/node";

import { serveFakeGitHub } from "../receivers/fake-git-hub.ts";
import { serveIssuers } from "../receivers/issuer-server.ts";
import { serveOpenIdProvider } from "../receivers/open-id-provider.ts";
import { serveWebhookReceiver } from "../receivers/webhook-receiver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Targets of webhooks, on this machine. */
    webhookReceiverUrl: string;
    /** Issuers of identity tokens, on this machine. */
    issuersUrl: string;
    /** Two providers of OpenID Connect, on this machine. Files that run at the same time use different ones. */
    openIdUrls: readonly [string, string];
    /** A GitHub, on this machine. */
    gitHubUrl: string;
  }
}

/** The callback of the installation of the tests. */
const CALLBACK = "https://gantry.test/app/sign-in/callback";

/** Tests of the Worker run in workerd, which cannot listen on a port. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const receiver = await serveWebhookReceiver();
  const issuers = await serveIssuers();
  const provider = await serveOpenIdProvider([CALLBACK]);
  const other = await serveOpenIdProvider([CALLBACK]);
  const gitHub = await serveFakeGitHub();
  project.provide("webhookReceiverUrl", receiver.url);
  project.provide("issuersUrl", issuers.url);
  project.provide("openIdUrls", [provider.url, other.url]);
  project.provide("gitHubUrl", gitHub.url);
  return () => {
    for (const server of [receiver, issuers, provider, other, gitHub]) server.close();
  };
}
