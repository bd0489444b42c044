import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { closeCodes } from "#contract/agent-protocol.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { call } from "../../support/worker/call.ts";
import { Faults, setUpForFaults } from "../../support/worker/faults.ts";
import { TestProject } from "../../support/worker/project.ts";

setUpForFaults();

const linkOf = ({ agent }: TestProject) => env.AGENT_LINK.getByName(agent.serverId);

type Row = Record<string, string | number | null>;

/** Deletes the server's row from D1. @returns a function that inserts it again, as a restore of the database does */
async function removeRow({ agent }: TestProject): Promise<() => Promise<void>> {
  const row = await env.DB.prepare("SELECT * FROM servers WHERE id = ?").bind(agent.serverId).first<Row>();
  if (row === null) throw new Error("there is no such server");
  const names = Object.keys(row);
  await env.DB.prepare("DELETE FROM servers WHERE id = ?").bind(agent.serverId).run();
  return async () => {
    const marks = names.map(() => "?").join();
    await env.DB.prepare(`INSERT INTO servers (${names.join()}) VALUES (${marks})`)
      .bind(...names.map((name) => row[name]))
      .run();
  };
}

async function statusOf({ agent, token }: TestProject): Promise<string> {
  const answer = await call(`/v1/servers/${agent.serverId}`, { token });
  return Server.parse(await answer.json()).status;
}

describe("a server whose row is missing during one check of its link", () => {
  it("gets orders again after its agent reconnects", async () => {
    const project = await TestProject.connected();
    const putBack = await removeRow(project);
    await runDurableObjectAlarm(linkOf(project));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
    await putBack();
    await project.agent.connect();
    await vi.waitFor(async () => expect(await statusOf(project)).toBe("healthy"));
    await project.deploy();
  });

  it("gets orders again if D1 did not answer during the hello", async () => {
    const project = await TestProject.connected();
    const putBack = await removeRow(project);
    await runDurableObjectAlarm(linkOf(project));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
    await putBack();
    const faults = new Faults();
    faults.disable("d1");
    await project.agent.connect();
    await vi.waitFor(() => expect(project.agent.received.filter(isWelcome)).toHaveLength(2));
    faults.enable("d1");
    await project.deploy();
  });

  it("gets an order from before its agent reconnected", async () => {
    const project = await TestProject.connected();
    const putBack = await removeRow(project);
    await runDurableObjectAlarm(linkOf(project));
    await putBack();
    const { id } = await project.start();
    await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id));
    await project.agent.connect();
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
  });

  it("stays connected if D1 does not confirm a removal", async () => {
    const project = await TestProject.connected();
    await linkOf(project).remove();
    await project.deploy();
    expect(project.agent.closed).toBeNull();
  });

  it("is removed later if D1 does not answer at first", async () => {
    const project = await TestProject.connected();
    await removeRow(project);
    const faults = new Faults();
    faults.disable("d1");
    await linkOf(project).remove();
    expect(project.agent.closed).toBeNull();
    faults.enable("d1");
    await runDurableObjectAlarm(linkOf(project));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
  });
});

describe("a revocation that arrives late", () => {
  it("does not close the link of the current credential", async () => {
    const project = await TestProject.connected();
    await linkOf(project).revoke();
    await project.deploy();
    expect(project.agent.closed).toBeNull();
    expect(await statusOf(project)).toBe("healthy");
  });

  it("takes effect at the next check if D1 does not answer at first", async () => {
    const project = await TestProject.connected();
    await env.DB.prepare("UPDATE servers SET credential_hash = 'other' WHERE id = ?")
      .bind(project.agent.serverId)
      .run();
    const faults = new Faults();
    faults.disable("d1");
    await linkOf(project).revoke();
    expect(project.agent.closed).toBeNull();
    faults.enable("d1");
    const alarm = await runInDurableObject(linkOf(project), (_link, { storage }) => storage.getAlarm());
    expect((alarm ?? Infinity) - Date.now()).toBeLessThan(10_000);
    await runDurableObjectAlarm(linkOf(project));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
  });
});

const isWelcome = ({ type }: { type: string }) => type === "welcome";
