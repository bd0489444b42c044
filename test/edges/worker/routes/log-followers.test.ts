import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { AccountId, DeploymentId, TokenId } from "#contract/ids.ts";
import { connected } from "#worker/following/connect.ts";
import { MAX_OF_TOKEN } from "#worker/following/follower-limits.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { LogBuffer } from "#worker/objects/project-lane/log-buffer.ts";
import { createToken, ids } from "../../../support/worker/account.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { output } from "../../../support/connected-agent/events.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { LogReader, upTo } from "../../../support/worker/log-reader.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";

const Attachment = z.object({ after: z.int().nullable() });

/** How many clients follow, and how many of them wait for lines: the others have not read their last answer yet. */
async function followers(project: TestProject): Promise<{ open: number; waiting: number }> {
  return await runInDurableObject(laneOf(project), (_lane, ctx) => {
    const places = ctx.getWebSockets().map((socket) => Attachment.parse(socket.deserializeAttachment()));
    return { open: places.length, waiting: places.filter(({ after }) => after !== null).length };
  });
}

/** Acts as the Worker for a client that reads everything at once. */
class Follower {
  readonly numbers: number[] = [];
  messages = 0;
  hasEnded = false;
  readonly tokenId = ids.token();

  async run(lane: ReturnType<typeof laneOf>, id: DeploymentId): Promise<void> {
    const link = await connected(() => followLane(lane, id, this.tokenId));
    while (!this.hasEnded) {
      link.ask(this.numbers.at(-1) ?? 0);
      let news = null;
      while (news === null) news = await link.news(10_000);
      this.messages += 1;
      if (news.kind === "lines") this.numbers.push(...news.lines.map(({ line }) => line));
      else this.hasEnded = true;
    }
    link.close();
  }
}

describe("a thousand followers of one deployment", () => {
  it("cost the lane no more per event than a few, and delay no report", async () => {
    const { project, id, order } = await TestProject.running();
    const all = Array.from({ length: 1000 }, () => new Follower());
    const runs = Promise.all(all.map((follower) => follower.run(laneOf(project), id)));
    await vi.waitFor(async () => expect(await followers(project)).toEqual({ open: 1000, waiting: 1000 }), {
      interval: 200,
    });
    let reads = 0;
    onCalls(LogBuffer.prototype, "linesAfter", () => (reads += 1));
    const sent = () => all.reduce((sum, { messages }) => sum + messages, 0);
    const before = sent();
    const beganAt = performance.now();
    for (let event = 0; event < 30; event += 1) await project.agent.reports(order, output(`line ${event}`));
    // 2 ms for each message of a round, so the next round comes after two seconds.
    const rounds = 2 + Math.floor((performance.now() - beganAt) / 2000);
    expect(sent() - before).toBeLessThanOrEqual(rounds * 1000);
    // One read for each line at which followers wait.
    expect(reads).toBeLessThanOrEqual(rounds * 3);
    const haveAll = () => all.filter(({ numbers }) => numbers.length === 32).length;
    await vi.waitFor(() => expect(haveAll()).toBe(1000), { interval: 200 });
    for (const { numbers } of all) expect(numbers).toEqual(upTo(32));
    await project.agent.completes(order);
    await runs;
  });
});

describe("a reader that stops reading", () => {
  it("costs the lane only its position, and gets all lines when it continues", async () => {
    const { project, id, order } = await TestProject.running();
    const reader = await LogReader.follow(project, id);
    await reader.sees("one");
    reader.pause();
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${"x".repeat(8000)}`);
    for (let event = 0; event < 6; event += 1) await project.agent.reports(order, output(...lines));
    await vi.waitFor(async () => expect(await followers(project)).toEqual({ open: 1, waiting: 0 }));
    const seen = reader.lines.length;
    expect(seen).toBeLessThan(200);
    await project.agent.reports(order, output("the last"));
    expect(await followers(project)).toEqual({ open: 1, waiting: 0 });
    void reader.readOn();
    await reader.sees("the last");
    expect(reader.numbers).toEqual(upTo(3 + 360));
  });
});

describe("a reader that disconnects", () => {
  it("is removed from an idle lane at once", async () => {
    const { project, id } = await TestProject.running();
    const reader = await LogReader.follow(project, id);
    await reader.sees("one");
    await vi.waitFor(async () => expect(await followers(project)).toEqual({ open: 1, waiting: 1 }));
    await reader.leave();
    await vi.waitFor(async () => expect(await followers(project)).toEqual({ open: 0, waiting: 0 }));
  });

  it("is removed when the deployment has ended", async () => {
    const { project, id, order } = await TestProject.running();
    const readers = await Promise.all([1, 2, 3].map(() => LogReader.follow(project, id)));
    await project.agent.completes(order);
    for (const reader of readers) expect(await reader.closes()).toMatchObject({ status: "live" });
    await vi.waitFor(async () => expect(await followers(project)).toEqual({ open: 0, waiting: 0 }));
  });
});

describe("the number of followers", () => {
  it("is limited for each token, with an answer that says when to try again", async () => {
    const { project, id, order } = await TestProject.running();
    const { token } = project;
    const { tokenId, accountId } = await ownerOf(token);
    const links = [];
    for (let count = 0; count < MAX_OF_TOKEN; count += 1)
      links.push(await connected(() => followLane(laneOf(project), id, tokenId)));
    const headers = { accept: "text/event-stream" };
    const refused = await call(`/v1/logs/${id}`, { token, headers });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("ratelimit")).toBeNull();
    expect(await problemOf(refused)).toMatchObject({ code: "too_many_followers" });
    expect((await call(`/v1/logs/${id}`, { token })).status).toBe(200);
    const other = await createToken(accountId);
    const reader = await LogReader.follow(project, id, { token: other.secret });
    await reader.sees("one");
    links.pop()?.close();
    await vi.waitFor(async () => expect((await followers(project)).open).toBe(MAX_OF_TOKEN));
    const again = await LogReader.follow(project, id);
    await again.sees("one");
    await project.agent.completes(order);
    for (const link of links) link.close();
  });

  it("is limited for each log", async () => {
    const { project, id } = await TestProject.running();
    const links = await Promise.all(
      Array.from({ length: 1000 }, () => connected(() => followLane(laneOf(project), id, ids.token()))),
    );
    const next = await followLane(laneOf(project), id, ids.token());
    expect(next).toMatchObject({ ok: false, refusal: { code: "too_many_followers" } });
    for (const link of links) link.close();
  });
});

const Account = z.object({ id: AccountId, token: z.object({ id: TokenId }) });

async function ownerOf(token: string) {
  const { id: accountId, token: own } = Account.parse(await (await call("/v1/account", { token })).json());
  return { accountId, tokenId: own.id };
}
