import { describe, expect, it, vi } from "vitest";

import type { AgentRequestOf } from "#contract/agent-requests.ts";
import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { createAccount, createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";

type Word = "drain" | "undrain";

const post = (project: TestProject, word: Word) =>
  project.post(`/v1/servers/${project.agent.serverId}/${word}`, {});
const set = async (project: TestProject, word: Word) =>
  DrainSet.parse(await (await post(project, word)).json());
const stored = async (project: TestProject) =>
  Server.parse(await (await project.get(`/v1/servers/${project.agent.serverId}`)).json()).draining_since;
/** What the server was sent. */
const sent = ({ agent }: TestProject) =>
  agent.received.flatMap((one) => (one.type === "set_drain" ? [one.drain] : []));

describe("a drained server", () => {
  it("applies it before the answer, once, and ends it", async () => {
    const project = await TestProject.answering();
    const on = await set(project, "drain");
    expect(on).toMatchObject({ id: project.agent.serverId, applied: true, detail: null });
    expect(await stored(project)).toBe(on.draining_since);
    expect((await set(project, "drain")).draining_since).toBe(on.draining_since);
    expect(await set(project, "undrain")).toMatchObject({ draining_since: null, applied: true });
    expect(await stored(project)).toBeNull();
    const [first, again, off] = sent(project);
    expect(first?.since).toBe(Date.parse(on.draining_since ?? ""));
    expect(again).toEqual(first);
    expect(off?.since).toBeNull();
    expect(off?.revision).toBeGreaterThan(first?.revision ?? 0);
  });

  it("gets deployments as before", async () => {
    const project = await TestProject.answering();
    await set(project, "drain");
    // Ends when the deployment is live.
    await project.deploy();
    expect(await stored(project)).not.toBeNull();
  });

  it("is sent it when it connects, if it was not connected", async () => {
    const project = await TestProject.create();
    const answer = await set(project, "drain");
    expect(answer).toMatchObject({ applied: false });
    expect(answer.detail).toContain("is not connected");
    project.agent.answersRequests = true;
    await project.agent.connect();
    await vi.waitFor(() =>
      expect(sent(project)).toMatchObject([{ since: Date.parse(answer.draining_since ?? "") }]),
    );
  });

  it("is sent it again at each connection, with the same revision", async () => {
    const project = await TestProject.answering();
    await set(project, "drain");
    await project.agent.connect();
    await vi.waitFor(() => expect(sent(project)).toHaveLength(2));
    const [first, again] = sent(project);
    expect(again).toEqual(first);
  });

  it("says why it could not apply it", async () => {
    const project = await TestProject.create();
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const answer = set(project, "drain");
    const { request_id }: AgentRequestOf<"set_drain"> = await project.agent.receives("set_drain");
    const problem = "The server has no Gantry ingress. Load balancers have no ready URL to ask.";
    project.agent.answer({ type: "drain_set", request_id, problem });
    expect(await answer).toMatchObject({ applied: false, detail: problem });
  });

  it("is not one whose agent is too old, and nothing is stored", async () => {
    const project = await TestProject.create();
    await project.agent.connect();
    await project.agent.receives("welcome");
    const response = await post(project, "drain");
    expect(response.status).toBe(409);
    expect(await problemOf(response)).toMatchObject({ code: "agent_outdated" });
    expect(await stored(project)).toBeNull();
    // An older agent that was installed meanwhile does not keep the server drained.
    expect(await set(project, "undrain")).toMatchObject({ draining_since: null, applied: true });
  });

  it("is recorded with what changed, and a repeated request is not", async () => {
    const { id, token } = await createAccount();
    const { serverId } = await enrolAgent(token);
    for (const word of ["drain", "drain", "undrain"])
      await call(`/v1/servers/${serverId}/${word}`, { method: "POST", token, body: {} });
    const entries = (await recordedEntries(id)).filter(({ action }) => /^(un)?drainServer$/.test(action));
    expect(entries.map(({ action, changes }) => [action, Object.keys(changes ?? {})])).toEqual([
      ["drainServer", ["draining_since"]],
      ["undrainServer", ["draining_since"]],
    ]);
    const events = (await recordedEvents(id)).filter(({ type }) => type === "server.updated");
    expect(events).toHaveLength(2);
  });

  it("is changed only with the scope servers:write", async () => {
    const { id, token } = await createAccount();
    const { serverId } = await enrolAgent(token);
    const path = `/v1/servers/${serverId}/drain`;
    const reader = await createToken(id, { scopes: ["servers:read"] });
    expect((await call(path, { method: "POST", token: reader.secret, body: {} })).status).toBe(403);
    const other = await createAccount();
    expect((await call(path, { method: "POST", token: other.token, body: {} })).status).toBe(404);
  });
});
