import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { followLog } from "#client/follow-log.ts";
import type { FollowLogOptions } from "#client/log-follower.ts";
import type { FollowedLogEvent } from "#client/log-event-reader.ts";
import { DeploymentId, TokenId } from "#contract/ids.ts";
import { connected } from "#worker/following/connect.ts";
import { MAX_OF_TOKEN } from "#worker/following/follower-limits.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { createAccount, ids } from "../../../support/worker/account.ts";
import { call, ORIGIN } from "../../../support/worker/call.ts";
import { output } from "../../../support/connected-agent/events.ts";
import { upTo } from "../../../support/worker/log-reader.ts";
import { TestProject } from "../../../support/worker/project.ts";

/** Cuts the body of a response after a number of bytes. */
function cut(response: Response, bytes: number): Response {
  let left = bytes;
  const cutting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left <= 0) controller.error(new Error("cut"));
    },
  });
  return new Response(response.body?.pipeThrough(cutting) ?? null, response);
}

/** Follows a log of the real Worker. The n-th response is cut after `cutAfter[n]` bytes. */
class Following {
  readonly events: FollowedLogEvent[] = [];
  hasEnded = false;
  connections = 0;

  constructor(token: string, id: string, cutAfter: number[] = [], options: FollowLogOptions = {}) {
    const transport = {
      baseUrl: ORIGIN,
      token,
      fetch: async (url: string, init: RequestInit) => {
        this.connections += 1;
        const response = await exports.default.fetch(new Request(url, init));
        const bytes = cutAfter.shift();
        return bytes === undefined ? response : cut(response, bytes);
      },
    };
    void this.#run(followLog(transport, DeploymentId.parse(id), options));
  }

  async #run(events: AsyncGenerator<FollowedLogEvent>): Promise<void> {
    for await (const event of events) this.events.push(event);
    this.hasEnded = true;
  }

  get messages(): string[] {
    return this.events.flatMap((event) => (event.type === "line" ? [event.line.message] : []));
  }

  get numbers(): number[] {
    return this.events.flatMap((event) => (event.type === "line" ? [event.line.line] : []));
  }

  async sees(message: string): Promise<void> {
    await vi.waitFor(() => expect(this.messages).toContain(message));
  }

  /** @returns the last event */
  async ends(): Promise<FollowedLogEvent | undefined> {
    await vi.waitFor(() => expect(this.hasEnded).toBe(true));
    return this.events.at(-1);
  }
}

describe("followLog with the real Worker", () => {
  it("yields each line as it is written, across cuts, and then the end", async () => {
    const { project, id, order } = await TestProject.running();
    const all = [new Following(project.token, id), new Following(project.token, id, [20, 90, 300, 400, 1])];
    for (const message of ["two → ü", "three 🚀", "four"]) {
      await project.agent.reports(order, output(message));
      for (const following of all) await following.sees(message);
    }
    await project.agent.completes(order);
    for (const following of all) {
      expect(await following.ends()).toEqual({ type: "end", status: "live", failure: null });
      expect(following.numbers).toEqual(upTo(following.numbers.length));
      expect(following.messages.at(-1)).toContain("Live: v1");
    }
    expect(all[0]?.connections).toBe(1);
    expect(all[1]?.connections).toBe(6);
    expect(all[1]?.messages).toEqual(all[0]?.messages);
  });

  it("reads pages while the log has too many followers, and then a stream", async () => {
    const { project, id, order } = await TestProject.running();
    const account = await (await project.get("/v1/account")).json<{ token: { id: string } }>();
    const tokenId = TokenId.parse(account.token.id);
    const lane = env.PROJECT_LANE.getByName(project.id);
    const links = [];
    for (let count = 0; count < MAX_OF_TOKEN; count += 1)
      links.push(await connected(() => followLane(lane, DeploymentId.parse(id), tokenId)));
    const following = new Following(project.token, id);
    await following.sees("one");
    await vi.waitFor(() =>
      expect(following.events.at(-1)).toMatchObject({
        type: "waiting",
        problem: { code: "too_many_followers" },
        ms: 10_000,
      }),
    );
    for (const link of links) link.close();
    await project.agent.reports(order, output("two"));
    await project.agent.completes(order);
    await vi.waitFor(() => expect(following.hasEnded).toBe(true));
    expect(following.numbers).toEqual(upTo(following.numbers.length));
    expect(following.messages).toContain("two");
  });

  it("starts after a given line and with a bookmark, and ends when the deployment is deleted", async () => {
    const { project, id } = await TestProject.running();
    const bookmark = (await project.get(`/v1/deployments/${id}`)).headers.get("gantry-bookmark");
    expect(bookmark).not.toBeNull();
    const following = new Following(project.token, id, [], { afterLine: 1, bookmark });
    await following.sees("one");
    expect(following.numbers).toEqual([2]);
    expect((await project.delete(id)).status).toBe(204);
    expect(await following.ends()).toEqual({ type: "end", status: "deleted", failure: null });
  });

  it("ends with a problem when it reconnects with a revoked token, and for an unknown deployment", async () => {
    const { project, id, order } = await TestProject.running();
    const body = { name: "short", scopes: ["deployments:read"] };
    const made = await (await project.post("/v1/tokens", body)).json<{ id: string; token: string }>();
    const following = new Following(made.token, id, [600]);
    await following.sees("one");
    const revoked = await call(`/v1/tokens/${made.id}`, { method: "DELETE", token: project.token });
    expect(revoked.status).toBe(204);
    await project.agent.reports(order, output("x".repeat(600)));
    expect(await following.ends()).toMatchObject({ problem: { status: 401, code: "invalid_token" } });

    const unknown = new Following(project.token, ids.deployment());
    expect(await unknown.ends()).toMatchObject({ problem: { status: 404, code: "not_found" } });
    const foreign = new Following((await createAccount()).token, id);
    expect(await foreign.ends()).toMatchObject({ problem: { status: 404, code: "not_found" } });
  });
});
