import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { WebhookDetails } from "#contract/endpoints/webhooks/schemas.ts";
import { useGantry } from "../openapi/support/gantry.ts";
import { serveWebhookReceiver, type WebhookReceiver } from "../support/receivers/webhook-receiver.ts";
import { createCli, jsonOf } from "./support/command.ts";

const cli = createCli();
let env: NodeJS.ProcessEnv;
let receiver: WebhookReceiver;

beforeAll(async () => {
  const gantry = await useGantry();
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
  receiver = await serveWebhookReceiver();
  return () => receiver.close();
});

const run = async (...args: string[]) => await cli.run(args, { env });
const succeed = async (...args: string[]) => {
  const ended = await run(...args);
  expect(ended).toMatchObject({ code: 0 });
  return ended.stdout;
};
const answer = async (name: string, ...answers: readonly object[]) =>
  await fetch(`${receiver.url}/control/${name}`, { method: "PUT", body: JSON.stringify(answers) });

describe("gantry webhooks", () => {
  it("creates a webhook, prints only its secret, and tests it", async () => {
    const secret = await succeed(
      "webhooks",
      "create",
      "standard",
      `${receiver.url}/hook/one`,
      "--name",
      "one",
    );
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    expect(await succeed("webhooks", "test", "one")).toContain("accepted with status 200");
    await answer("one", { status: 500, body: "broken" });
    const failed = await run("webhooks", "test", "one");
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("broken") });
    expect(await succeed("webhooks", "list")).toMatch(/^one\tstandard\tactive\t/m);
    const deliveries = await succeed("webhooks", "deliveries", "one");
    expect(deliveries).toContain("webhook.test\tfailed\t1\tThe target answered with status 500.");
  });

  it("disables, enables, resends, rotates and deletes it", async () => {
    const secret = await succeed(
      ...[
        "webhooks",
        "create",
        "standard",
        `${receiver.url}/hook/two`,
        "--name",
        "two",
        "--event",
        "webhook.*",
      ],
    );
    const details = async () =>
      WebhookDetails.parse(jsonOf(await succeed("webhooks", "show", "two", "--json")));
    await succeed("webhooks", "disable", "two");
    expect((await details()).state).toBe("disabled");
    expect(await run("webhooks", "resend", "two")).toMatchObject({ code: 4 });
    await succeed("webhooks", "enable", "two");
    expect((await details()).state).toBe("active");
    const Resent = z.object({ resent: z.number() });
    expect(Resent.parse(jsonOf(await succeed("webhooks", "resend", "two", "--json"))).resent).toBe(0);
    expect(await succeed("webhooks", "rotate", "two")).not.toBe(secret);
    await succeed("webhooks", "delete", "two", "--yes");
    expect(await run("webhooks", "show", "two")).toMatchObject({ code: 4 });
  });

  it("takes a secret address only from standard input", async () => {
    const url = `${receiver.url}/hook/secret-chat`;
    expect(await run("webhooks", "create", "slack", url)).toMatchObject({ code: 2 });
    const created = await cli.run(["webhooks", "create", "slack", "--name", "chat"], { env, input: url });
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('"chat"') });
    expect(await succeed("webhooks", "show", "chat")).not.toContain("secret-chat");
  });

  it("refuses an unknown kind, type of event or forge", async () => {
    for (const args of [
      ["fax"],
      ["standard", "https://example.com/", "--event", "nothing"],
      ["commit_status"],
      ["email"],
      ["standard"],
    ])
      expect(await run("webhooks", "create", ...args)).toMatchObject({ code: 2 });
  });
});
