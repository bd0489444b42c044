import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { TOKEN_CHECK_MS } from "#worker/following/watch-token.ts";
import { createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { addMember } from "../../support/worker/members.ts";
import { TestProject } from "../../support/worker/project.ts";
import { createSession } from "../../support/worker/sessions.ts";
import { StreamReader } from "../../support/worker/stream-reader.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import { operationNames, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const streaming = operationNames.filter((name) =>
  endpoints[name].alsoAs.some((type) => type === "text/event-stream"),
);

/** A token's secret, and what ends the token or its rights. */
type Ending = { readonly secret: string; readonly end: () => Promise<unknown> };

const inDatabase = async (text: string, ...values: readonly string[]) =>
  await env.DB.prepare(text)
    .bind(...values)
    .run();

/** All ways in which a token can end. */
const endings: Record<string, (world: World) => Promise<Ending>> = {
  async revoked({ account: { id, token } }) {
    const made = await createToken(id);
    return { ...made, end: () => call(`/v1/tokens/${made.id}`, { method: "DELETE", token }) };
  },
  async "revoked by another isolate"({ account: { id } }) {
    const made = await createToken(id);
    return { ...made, end: () => inDatabase("UPDATE tokens SET revoked_at = 1 WHERE id = ?", made.id) };
  },
  async "signed out"({ account: { id } }) {
    const { token: secret } = await createSession(id);
    return { secret, end: () => call("/v1/session", { method: "DELETE", token: secret }) };
  },
  async "of a removed member"({ account: { token } }) {
    const { id, token: secret } = await addMember(token, [{ role: "admin" }]);
    return { secret, end: () => call(`/v1/members/${id}`, { method: "DELETE", token }) };
  },
  async "of a removed member, by another isolate"({ account: { token } }) {
    const { id, token: secret } = await addMember(token, [{ role: "admin" }]);
    return { secret, end: () => inDatabase("DELETE FROM members WHERE id = ?", id) };
  },
  async "of a member with less rights"({ account: { token } }) {
    const { id, token: secret } = await addMember(token, [{ role: "admin" }]);
    const grants = '[{"role":"viewer","projectIds":null,"extra":[]}]';
    return { secret, end: () => inDatabase("UPDATE members SET grants = ? WHERE id = ?", grants, id) };
  },
  async expired({ account: { id } }) {
    const made = await createToken(id);
    return { ...made, end: () => inDatabase("UPDATE tokens SET expires_at = 1 WHERE id = ?", made.id) };
  },
  async "rotated twice"({ account: { id, token } }) {
    const made = await createToken(id);
    const rotate = async () =>
      TokenWithSecret.parse(
        await (await call(`/v1/tokens/${made.id}/rotate`, { method: "POST", token, body: {} })).json(),
      );
    return { ...made, end: async () => [await rotate(), await rotate()] };
  },
  async "with less scopes"({ account: { id } }) {
    const made = await createToken(id);
    return { ...made, end: () => inDatabase("UPDATE tokens SET scopes = '[]' WHERE id = ?", made.id) };
  },
  async "limited to other projects"({ account: { id } }) {
    const made = await createToken(id);
    return { ...made, end: () => inDatabase("UPDATE tokens SET project_ids = '[]' WHERE id = ?", made.id) };
  },
};

/**
 * Holds the checks of all streams back until the test ends.
 * @returns lets each stream check its token once
 */
function holdChecks(): () => void {
  const setTimer = globalThis.setTimeout;
  let released = 0;
  aroundCalls(globalThis, "setTimeout", (original, [callback, delay]) => {
    if (delay !== TOKEN_CHECK_MS || typeof callback !== "function") return original();
    const heldAt = released;
    // A timer of the stream's own request, which alone may read D1 for it.
    const wait = (): unknown =>
      setTimer(() => (released > heldAt ? Reflect.apply(callback, undefined, []) : wait()), 20);
    return wait();
  });
  return () => void (released += 1);
}

async function follow(path: string, token: string): Promise<StreamReader> {
  const response = await call(path, { token, headers: { accept: "text/event-stream" } });
  const reader = new StreamReader(response, () => undefined);
  void reader.readOn();
  return reader;
}

describe("every stream", () => {
  it("reads its token again within 10 seconds", () => {
    expect(TOKEN_CHECK_MS).toBeLessThanOrEqual(7_000);
  });

  it.each(streaming)("ends soon after its token has ended, and no other one: %s", async (name) => {
    const check = holdChecks();
    const world = await copyWorld();
    const { path } = await succeedingRequest(name, world);
    const kept = await follow(path, world.account.token);
    const all = await Promise.all(
      Object.entries(endings).map(async ([why, prepare]) => {
        const { secret, end } = await prepare(world);
        return { why, end, reader: await follow(path, secret) };
      }),
    );
    for (const { end } of all) await end();
    expect(all.filter(({ reader }) => reader.isClosed).map(({ why }) => why)).toEqual([]);
    check();
    await vi.waitFor(() =>
      expect(all.filter(({ reader }) => !reader.isClosed).map(({ why }) => why)).toEqual([]),
    );
    expect(kept.isClosed).toBe(false);
    await kept.leave();
  });

  it("of a project ends soon after the project was deleted", async () => {
    const check = holdChecks();
    const world = await copyWorld();
    const { path } = await succeedingRequest("getOutput", world);
    const reader = await follow(path, world.account.token);
    await inDatabase("DELETE FROM projects WHERE id = ?", world.projectId);
    check();
    await reader.closed();
  });

  it("continues while the database does not answer", async () => {
    const check = holdChecks();
    const world = await copyWorld();
    const { path } = await succeedingRequest("getOutput", world);
    const reader = await follow(path, world.account.token);
    const failing = vi.spyOn(console, "error").mockReturnValue();
    const restore = aroundCalls(Object.getPrototypeOf(env.DB.prepare("")), "raw", () =>
      Promise.reject(new Error("D1 is down")),
    );
    check();
    await vi.waitFor(() => expect(failing).toHaveBeenCalled());
    expect(reader.isClosed).toBe(false);
    restore();
    await reader.leave();
  });
});

describe("a read that waits", () => {
  it("is refused if its token was revoked meanwhile", async () => {
    const project = await TestProject.answering();
    project.agent.answersRequests = false;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const response = project.get(`/v1/projects/${project.id}/output`);
    const { request_id } = await project.agent.receives("read_output");
    await inDatabase("UPDATE tokens SET revoked_at = ?", "1");
    vi.setSystemTime(Date.now() + 11_000);
    const lines = [{ instance: "web-1-0", message: "printed later" }];
    project.agent.answer({ type: "output_read", request_id, project_id: project.id, lines });
    expect((await response).status).toBe(401);
  });
});
