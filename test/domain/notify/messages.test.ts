import { describe, expect, it } from "vitest";

import { isDashboardPage } from "#contract/dashboard-pages.ts";
import { eventExamples, exampleOf } from "#contract/endpoints/events/examples.ts";
import { Event } from "#contract/endpoints/events/schemas.ts";
import { notificationOf } from "#domain/notify/notification-of.ts";
import { isRecovery, isReported } from "#domain/notify/outcomes.ts";
import { deploymentEvent, PUSHED_SHA, serverEvent, testEvent } from "../../support/sample-events.ts";

const ORIGIN = "https://gantry.example.com";
const read = (event: Event, recovery = false) => notificationOf(event, ORIGIN, recovery);

describe("the message about a deployment", () => {
  it("says what failed, of which commit, by whom, after how long, and with which line", () => {
    expect(read(deploymentEvent("deployment.failed"))).toEqual({
      level: "failure",
      title: "shop: v12 failed (build)",
      lines: ["The build command exited with code 1", "Run the build on your machine."],
      code: "src/app.ts(3,1): error TS2304: Cannot find name 'foo'.",
      fields: [
        { name: "Commit", value: "8e8412f Change the title" },
        { name: "Branch", value: "main" },
        { name: "Started by", value: "a push by alice" },
        { name: "Duration", value: "1 min 20 s" },
      ],
      links: [
        {
          text: "Open the deployment",
          url: `${ORIGIN}/app/deployments/${deploymentEvent("deployment.failed").data.deployment.id}`,
        },
      ],
      at: "2026-11-23T05:01:20.000Z",
    });
  });

  it("says that a project recovered, with a link to its site", () => {
    const { level, title, links } = read(deploymentEvent("deployment.live"), true);
    expect({ level, title }).toEqual({ level: "success", title: "shop recovered: v12 is live" });
    expect(links.map(({ url }) => url)).toContain("https://shop.example.com");
  });

  it.each([
    ["deployment.started", {}, "shop: v12 is queued"],
    ["deployment.held", {}, "shop: v12 is on hold"],
    ["deployment.approved", {}, "shop: v12 was approved"],
    ["deployment.building", {}, "shop: v12 is in progress"],
    ["deployment.live", { kind: "rollback" }, "shop: rollback as v12 is live"],
    ["deployment.failed", { kind: "rollback" }, "shop: rollback as v12 failed (build)"],
    ["deployment.live", { kind: "config" }, "shop: v12 with changed settings is live"],
    ["deployment.superseded", {}, "shop: v12 was replaced by a newer one"],
    ["deployment.canceled", {}, "shop: v12 was canceled"],
    ["deployment.deleted", {}, "shop: v12 was deleted"],
  ] as const)("of %s %o is titled “%s”", (type, changed, title) => {
    expect(read(deploymentEvent(type, changed)).title).toBe(title);
  });

  it("names the version that replaced it, and not who started that version", () => {
    const replacedBy = { id: deploymentEvent("deployment.live").data.deployment.id, version: 13 };
    const { title, fields } = read(deploymentEvent("deployment.canceled", {}, { replacedBy }));
    expect(title).toBe("shop: v12 was replaced by v13");
    expect(fields.map(({ name }) => name)).not.toContain("Canceled by");
  });

  it.each([
    ["api", "ci", "ci"],
    ["push", "alice", "a push by alice"],
    ["poll", "web-1", "a push that the server web-1 found"],
  ] as const)("started by %s names who it was", (trigger, name, text) => {
    const actor = { type: "token" as const, id: "tok_1", name };
    const { fields } = read(deploymentEvent("deployment.started", { trigger, actor }));
    expect(fields).toContainEqual({ name: "Started by", value: text });
  });

  it("has the pushed commit until the deployed one is known, and no field without a value", () => {
    const unresolved = { commit_sha: null, commit_message: null, commit: null, pushed_sha: PUSHED_SHA };
    const { fields } = read(deploymentEvent("deployment.started", { ...unresolved, finished_at: null }));
    expect(fields.map(({ name, value }) => `${name}=${value}`)).toEqual([
      "Commit=1111111",
      "Branch=main",
      "Started by=a push by alice",
    ]);
  });

  it("has one plain line of each text, whatever a commit, a branch or a log contains", () => {
    const nasty = "\u001b[31mA\u202e\tB\u0007\r\nsecond line";
    const { fields, code } = read(
      deploymentEvent("deployment.failed", {
        commit_message: `\n\n${nasty}`,
        failure: { code: "internal", message: "m", stage: "build", failing_line: nasty },
      }),
    );
    expect(fields[0]?.value).toBe("8e8412f A[U+202E] B");
    expect(code).toBe("A[U+202E] B second line");
  });

  it("links to a site only by an address without characters that end a link", () => {
    const { links } = read(deploymentEvent("deployment.live", {}, { url: "https://a.example/>|x<" }));
    expect(links).toHaveLength(1);
  });
});

describe("the messages about everything else", () => {
  it.each([
    [serverEvent("server.offline"), false, "failure", "Server web-1 is offline"],
    [serverEvent("server.healthy"), true, "success", "Server web-1 is back"],
    [serverEvent("server.healthy"), false, "success", "Server web-1 is connected"],
    [serverEvent("server.degraded"), false, "warning", "Server web-1 is degraded"],
    [serverEvent("server.created"), false, "info", "Server web-1 was created"],
    [testEvent(), false, "info", "A test of this notification"],
    [
      Event.parse(exampleOf("process.crash_looping")),
      ...([false, "failure", "shop: worker crashes again and again (exit code 1, 5 times in 21 s)"] as const),
    ],
    [Event.parse(exampleOf("process.recovered")), true, "success", "shop: worker runs again"],
    [Event.parse(exampleOf("cron.failed")), false, "failure", "shop: the cron job backup failed"],
  ] as const)("%#", (event, recovery, level, title) => {
    expect(read(event, recovery)).toMatchObject({ level, title });
  });
});

it("has a title for each type of event, and a page of the dashboard", () => {
  const messages = eventExamples.map((example) => read(Event.parse(example)));
  for (const { title, links } of messages) {
    expect(title).toMatch(/^[A-Za-z].{10,}[^:.]$/);
    const { origin, pathname } = new URL(links[0].url);
    expect([origin, isDashboardPage(`${pathname}/`)]).toEqual(["https://gantry.example.com", true]);
  }
  const titles = messages.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles).toEqual(
    expect.arrayContaining([
      "Project shop was created",
      "Token CI of shop was revoked",
      "Server web-1 was deleted",
    ]),
  );
});

describe("a webhook for people that reports only recoveries", () => {
  it.each([
    ["deployment.failed", null, true],
    ["deployment.failed", "failed", true],
    ["deployment.live", null, false],
    ["deployment.live", "live", false],
    ["deployment.live", "failed", true],
    ["deployment.canceled", null, true],
  ] as const)("%s after %s is reported: %s", (type, before, reported) => {
    expect(isReported(deploymentEvent(type), true, before)).toBe(reported);
  });

  it("reports that a server is back, but not that it connected for the first time", () => {
    expect(isReported(serverEvent("server.healthy"), true, null)).toBe(false);
    expect(isReported(serverEvent("server.healthy"), true, "failed")).toBe(true);
    expect(isReported(serverEvent("server.offline"), true, null)).toBe(true);
  });

  it("reports everything if it is set to", () => {
    expect(isReported(deploymentEvent("deployment.live"), false, null)).toBe(true);
    expect(isRecovery(deploymentEvent("deployment.live"), "live")).toBe(false);
  });
});
