import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { WebhookDetails } from "#contract/endpoints/webhooks/schemas.ts";
import { useGantry } from "../../openapi/support/gantry.ts";
import { serveWebhookReceiver, type WebhookReceiver } from "../../support/receivers/webhook-receiver.ts";
import { createCli, jsonOf } from "../../cli/support/command.ts";

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
const Requests = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }));
const requestsOf = async (name: string) =>
  Requests.parse(await (await fetch(`${receiver.url}/control/${name}`)).json());
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
    // The event of its own end of deliveries was held.
    expect(Resent.parse(jsonOf(await succeed("webhooks", "resend", "two", "--json"))).resent).toBe(1);
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

  it("reads headers of a program and the token of ntfy from files, and never shows them", async () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(cli.home, name), text);
      return name;
    };
    const url = `${receiver.url}/hook/headers`;
    await succeed(
      ...["webhooks", "create", "standard", url, "--name", "headers"],
      ...["--header", "X-Team", "--from-file", `X-Team=${file("team.txt", "shop\n")}`],
      ...["--from-file", `Authorization=${file("authorization.txt", "Bearer secret-4711\n")}`],
    );
    await succeed("webhooks", "test", "headers");
    const [request] = await requestsOf("headers");
    expect(request?.headers).toMatchObject({ authorization: "Bearer secret-4711", "x-team": "shop" });
    expect(await succeed("webhooks", "show", "headers")).not.toContain("4711");

    const ntfy = await cli.run(
      [
        ...["webhooks", "create", "ntfy", `${receiver.url}/hook/ntfy`, "--name", "ntfy"],
        ...["--from-file", `topic=${file("topic.txt", "deploys")}`, "--from-stdin", "token"],
      ],
      { env, input: "tk_4711\n" },
    );
    expect(ntfy).toMatchObject({ code: 0 });
    await succeed("webhooks", "test", "ntfy");
    const [message] = await requestsOf("ntfy");
    expect(message?.headers["authorization"]).toBe("Bearer tk_4711");
    expect(message?.body).toContain("deploys");
  });

  it("prompts for each of them without showing what is typed", async () => {
    const url = `${receiver.url}/hook/prompts`;
    const call = cli.inTerminal(["webhooks", "create", "ntfy", url, "--name", "prompts", "--token"], { env });
    await call.printed("stdout", "Topic: ");
    call.type("topic-4711\r");
    await call.printed("stdout", "Access token: ");
    call.type("tk_4711\r");
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain("4711");
    await succeed("webhooks", "test", "prompts");
    expect((await requestsOf("prompts"))[0]?.headers["authorization"]).toBe("Bearer tk_4711");
  });

  it("refuses a secret that has no source, two, or does not belong to the kind, and never repeats it", async () => {
    const standard = ["webhooks", "create", "standard", "https://example.com/"];
    for (const args of [
      [...standard, "--header", "Authorization"],
      [...standard, "--header", "Authorization: Bearer 4711"],
      [...standard, "--header", "Host"],
      [...standard, "--from-file", "Authorization"],
      [...standard, "--from-file", "X-A=one.txt", "--from-stdin", "X-A"],
      ["webhooks", "create", "ntfy", "--token"],
      ["webhooks", "create", "ntfy", "--header", "X-A"],
      ["webhooks", "create", "slack", "--token"],
      ["webhooks", "create", "slack", "--from-stdin", "4711"],
    ]) {
      const ended = await run(...args);
      expect(ended).toMatchObject({ code: 2 });
      expect(ended.stderr).not.toContain("4711");
    }
    expect(await succeed("webhooks", "list")).not.toContain("example.com");
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
