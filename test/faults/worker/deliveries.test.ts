import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { deliver, repositoriesAreRead } from "../../support/worker/deliveries.ts";
import { faultKinds, Faults, setUpForFaults } from "../../support/worker/faults.ts";
import { TestProject } from "../../support/worker/project.ts";

setUpForFaults();

const repository = "https://git.test/shop.git";

describe("a delivery while a part fails", () => {
  it.each(faultKinds)("leaves each deployment with one row in the ledger (%s)", async (kind) => {
    const faults = new Faults();
    const calls = await deliverWith(faults, null, kind);
    expect(calls.filter((name) => name.startsWith("d1")).length).toBeGreaterThan(2);
    for (const at of calls.keys()) await deliverWith(faults, at, kind);
  });

  /** Delivers a push, and delivers it again if it was not received, as a forge does. */
  async function deliverWith(faults: Faults, at: number | null, kind: (typeof faultKinds)[number]) {
    const project = await TestProject.create({ repository });
    await repositoriesAreRead();
    const created = await project.post("/v1/hooks", { forge: "gitea", repository });
    const hook = HookWithSecret.parse(await created.json());
    const lane = () => env.PROJECT_LANE.getByName(project.id);
    const isReceived = async () => (await deliver(hook).catch(() => null))?.ok === true;

    faults.count(at, kind, [lane]);
    const wasReceived = await isReceived();
    const calls = faults.stop();
    for (let alarms = 0; alarms < 3; alarms += 1) {
      vi.setSystemTime(Date.now() + 60_000);
      // The kill may also meet the alarm, which the platform then repeats.
      await runDurableObjectAlarm(lane()).catch(() => runDurableObjectAlarm(lane()));
    }
    const { deployments, rows } = await recorded(project.id);
    expect(rows, `${kind} at ${at}`).toEqual(deployments);

    if (!wasReceived) expect(await isReceived()).toBe(true);
    const after = await recorded(project.id);
    expect(after.deployments).toHaveLength(1);
    expect(after.rows, `${kind} at ${at}, delivered again`).toEqual(after.deployments);
    return calls;
  }

  /** The project's deployments in D1, and the deployments of its rows in the ledger. */
  async function recorded(projectId: string) {
    const idsFrom = (statement: string) => env.DB.prepare(statement).bind(projectId);
    const [deployments, rows] = await env.DB.batch<{ id: string }>([
      idsFrom("SELECT id FROM deployments WHERE project_id = ?"),
      idsFrom("SELECT deployment_id AS id FROM pushes WHERE project_id = ? AND deployment_id NOT NULL"),
    ]);
    return { deployments: deployments?.results, rows: rows?.results };
  }
});
