import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { utf8Length } from "#contract/utf8-length.ts";
import { nextRequest } from "#domain/notify/next-request.ts";
import { problemOfDiscord } from "../../support/receivers/discord.ts";
import { problemOfNtfy } from "../../support/receivers/ntfy.ts";
import { problemOfSlack } from "../../support/receivers/slack.ts";
import { problemOfTeams } from "../../support/receivers/teams.ts";
import { deploymentEvent, serverEvent, testEvent } from "../../support/sample-events.ts";

const url = "https://chat.example.com/hooks/secret";
const forPeople = { url, only_recoveries: false };
const kinds = {
  slack: { kind: "slack", ...forPeople },
  discord: { kind: "discord", ...forPeople },
  teams: { kind: "teams", ...forPeople },
  ntfy: { kind: "ntfy", ...forPeople, topic: "deploys", token: "tk_secret" },
  email: { kind: "email", to: "ops@example.com", only_recoveries: false },
} as const satisfies Readonly<Record<string, WebhookSettings>>;

const problemOf = {
  slack: problemOfSlack,
  discord: problemOfDiscord,
  teams: problemOfTeams,
  ntfy: problemOfNtfy,
};

function send(settings: WebhookSettings, event: Event) {
  const input = { event, settings, origin: "https://gantry.example.com", outcomeBefore: null };
  const request = nextRequest({ ...input, memory: {}, answers: [] });
  if (request === null) throw new Error("nothing is sent");
  const answered = nextRequest({ ...input, memory: {}, answers: [{ status: 200, body: "ok" }] });
  expect(answered).toBeNull();
  return request;
}

/** Every text of an event that comes from outside is this one. */
function hostile(text: string): Event {
  return deploymentEvent(
    "deployment.failed",
    {
      branch: text,
      commit_message: text,
      actor: { type: "hook", id: "hook_1", name: text },
      failure: { code: "build_failed", message: text, stage: "build", failing_line: text, hint: text },
    },
    { name: text, url: text },
  );
}

/** Texts made of what these kinds give a meaning to, of whole and half characters, and of very long ones. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5000 }),
  fc
    .array(
      fc.constantFrom(
        ..."<>&|@#*_~`[]()\\{}!:-\"' \n\r\t\u0000\u001b\u202e\ud83d\ude00é…".split(""),
        "<!channel>",
        "<@U024BE7LH>",
        "@everyone",
        "```",
        "{{DATE(2026-11-23T00:00:00Z)}}",
        "[x](https://evil.example)",
        "<script>",
        "https://evil.example",
        "😀",
      ),
      { maxLength: 400 },
    )
    .map((parts) => parts.join("")),
  fc.constantFrom("&", "😀", "\ud83d", "`", "<", "字").chain((one) => fc.nat(5000).map((n) => one.repeat(n))),
);

describe.each(["slack", "discord", "teams", "ntfy"] as const)("%s", (kind) => {
  it("is sent a request that it accepts for every event, whatever texts the event has", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const event of [hostile(text), serverEvent("server.offline", text), testEvent(text)]) {
          const { body, method } = send(kinds[kind], event);
          expect(method).toBe("POST");
          expect(body.isWellFormed()).toBe(true);
          expect(problemOf[kind](JSON.parse(body))).toBeNull();
        }
      }),
      { numRuns: 150 },
    );
  });
});

const attack = hostile(
  "<!channel> <@U024BE7LH> @everyone *b* [click](https://evil.example) <https://evil.example|bank> ``` & {{DATE(x)}}",
);

describe("a text that tries to mention people, or to look like a link", () => {
  it("begins no mention and no link in Slack, and does not end its code block", () => {
    const { body } = send(kinds.slack, attack);
    const links = [...body.matchAll(/<[^>]*>/g)].map(([link]) => link);
    expect(links).toEqual([
      expect.stringMatching(/^<https:\/\/gantry\.example\.com\/app\/deployments\/\w+\|/),
    ]);
    // Formatting is read in two texts only: the code block, and the link.
    const formatted = [...body.matchAll(/"type":"mrkdwn","verbatim":true,"text":"(.*?)"/g)].map(
      ([, text]) => text,
    );
    expect(formatted).toEqual([
      expect.stringMatching(/^```\\n[^`]*\\n```$/),
      expect.stringMatching(/^<https:[^<>]*\|Open the deployment>$/),
    ]);
  });

  it("is escaped in Discord, which is told to mention nobody", () => {
    const { body } = send(kinds.discord, attack);
    expect(body).toContain('"allowed_mentions":{"parse":[]}');
    const code = /```.*```/.exec(body)?.[0] ?? "";
    expect(body.replace(code, "")).not.toMatch(/(?<!\\\\)[<>[\]*@](?=[!@\w])/);
    expect(code.match(/```/g)).toHaveLength(2);
  });

  it("is in no element of Teams that reads Markdown or dates", () => {
    const { body } = send(kinds.teams, attack);
    expect(body).not.toMatch(/"TextBlock"|"FactSet"|\{\{/);
  });

  it("is text in a mail's HTML, and one line in its subject", () => {
    const { url: to, body } = send(kinds.email, attack);
    const mail: unknown = JSON.parse(body);
    expect(to).toBe("mailto:ops@example.com");
    expect(mail).toMatchObject({ to: "ops@example.com", subject: expect.stringMatching(/^.{1,200}$/) });
    expect([...body.matchAll(/<a href=[^>]*>/g)]).toHaveLength(1);
    expect(body).not.toContain("<!channel>\\n");
    expect(body).toContain("&#60;!channel&#62;");
  });
});

describe("ntfy", () => {
  it("gets its token in a header, the topic in the body, and the page to open", () => {
    const request = send(kinds.ntfy, deploymentEvent("deployment.failed"));
    expect(request.headers).toMatchObject({ authorization: "Bearer tk_secret" });
    expect(JSON.parse(request.body)).toMatchObject({
      topic: "deploys",
      title: "shop: v12 failed (build)",
      priority: 4,
      tags: ["x"],
      click: expect.stringContaining("/app/deployments/"),
    });
  });

  it("gets no more than 4096 bytes of text, also of characters with several bytes", () => {
    const body: unknown = JSON.parse(send(kinds.ntfy, hostile("字".repeat(5000))).body);
    expect(body).toMatchObject({ message: expect.stringMatching(/…$/) });
    const text = String(Reflect.get(Object(body), "message"));
    expect(utf8Length(text)).toBeLessThanOrEqual(4096);
    expect(utf8Length(text)).toBeGreaterThan(4090);
  });
});

describe("the standard kind", () => {
  it("sends the event as it is, without its id, with the headers of its settings", () => {
    const event = deploymentEvent("deployment.live");
    const settings = { kind: "standard", url, headers: { authorization: "Basic x" } } as const;
    const { body, headers } = send(settings, event);
    const { id: _, ...payload } = event;
    expect(JSON.parse(body)).toEqual(payload);
    expect(headers).toEqual({ "content-type": "application/json", authorization: "Basic x" });
  });
});
