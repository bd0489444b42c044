import { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { DeploymentId } from "#contract/ids.ts";

import { createServerWithKey } from "../../cli/support/server-with-key.ts";
import { cronJob, endedCronRun } from "../../support/connected-agent/agent-socket.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { crashLooping, instanceReport, processReport } from "../../support/process-reports.ts";
import { deliverPush } from "./deliver-push.ts";

/** A project with everything that a project can have: processes, cron jobs, commands, a hook and pushes. */
export type AppsProject = {
  readonly id: string;
  readonly live: DeploymentId;
  /** Its newest deployment, which could not fetch. */
  readonly failed: DeploymentId;
  stop(): void;
};

/** Of the project that `createServerWithKey` creates. */
const REPOSITORY = "https://example.com/shop.git";
const HOUR_MS = 60 * 60 * 1000;
const FETCH_MESSAGE =
  "cannot reach https://example.com/shop.git: git ended with exit code 128: Could not resolve host: example.com";

/** Creates the project on a server of its own with a simulated agent. @param name of both */
export async function createAppsProject(
  local: { readonly url: string; readonly token: string },
  name: string,
): Promise<AppsProject> {
  const server = await createServerWithKey(local, name);
  const { api, agent, projectId: id } = server;
  const since = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
  const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { status, text, json } = await api.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  };
  const start = async (): Promise<{ id: DeploymentId; order: RunOrder }> => {
    const started = await api.start(id);
    const order = () =>
      agent.received
        .flatMap((one) => (one.type === "run" ? [one.order] : []))
        .find(({ deployment_id: of }) => of === started.id);
    await eventually(`the agent has the order of ${started.id}`, () => order() !== undefined);
    const found = order();
    if (found === undefined) throw new Error("no order");
    return { id: started.id, order: found };
  };

  await send("PATCH", `/v1/projects/${id}`, {
    domain: `${name}.example.com`,
    processes: {
      web: { command: "node web.js", instances: 2 },
      worker: { command: "node worker.js --queue=mail" },
      clock: { command: "node clock.js" },
    },
    cron: [{ name: "backup", schedule: "30 2 * * *", command: "./backup", timezone: "Europe/Berlin" }],
  });
  await send("PATCH", `/v1/projects/${id}/variables`, {
    set: [{ name: "PUBLIC_URL", value: `https://${name}.example.com` }],
  });
  await agent.completes((await start()).order);
  const live = await start();
  await agent.completes(live.order, [1]);

  const hook = HookWithSecret.parse(
    await send("POST", "/v1/hooks", { forge: "github", repository: REPOSITORY }),
  );
  const status = await deliverPush({
    origin: local.url,
    hook,
    repository: REPOSITORY,
    name: "shop",
    branch: "feature",
  });
  if (status !== 200) throw new Error(`the push was refused: ${status}`);
  await send("POST", `/v1/projects/${id}/commands`, { command: "npm run report -- --month 10" });

  const failed = await start();
  await agent.reports(
    failed.order,
    { type: "stage", stage: "fetch" },
    {
      type: "result",
      result: {
        outcome: "failed",
        failure: { code: "fetch_failed", stage: "fetch", message: FETCH_MESSAGE },
      },
      project: { project_id: failed.order.project_id, release: 2, releases: [1, 2], url: null },
    },
  );
  await api.ended(failed.id);

  agent.processes = [
    processReport("web", {
      wanted: 2,
      command: "node web.js",
      instances: ["web-2-0", "web-2-1"].map((one) => instanceReport(one, { started_at: since(3) })),
    }),
    processReport("worker", {
      command: "node worker.js --queue=mail",
      instances: [instanceReport("worker-2-0", crashLooping)],
    }),
    processReport("clock", { command: "node clock.js", stopped: true, wanted: 0, instances: [] }),
  ];
  const { run } = endedCronRun;
  agent.cronJobs = [
    {
      ...cronJob,
      next_run_at: since(-9),
      runs: [
        { ...run, number: 4, started_at: since(15), finished_at: since(14.9), scheduled_for: since(15) },
        { ...run, number: 3, exit_code: 2, started_at: since(39), finished_at: since(39) },
      ],
    },
  ];
  return {
    id,
    live: live.id,
    failed: failed.id,
    stop: () => server.stop(),
  };
}
