import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { followLog } from "#client/follow-log.ts";
import type { Transport } from "#client/request.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";

import { type Api, valueOf } from "../shared/api.ts";
import { Problem } from "../shared/problem.ts";
import { formatDuration } from "../shared/terminal.ts";
import type { Checklist } from "./checklist.ts";
import type { TemporaryServer } from "./temporary-server.ts";

const POLL_MS = 250;
const DEPLOYMENT_TIMEOUT_MS = 120_000;
/** Longer than Cloudflare keeps an object without work in memory. */
const IDLE_MS = 60_000;
/** A server without its agent is offline after a minute. */
const OFFLINE_TIMEOUT_MS = 150_000;
/** Longer than a cancellation may take, so that only the cancellation ends the build. */
const LONG_BUILD = "sleep 600";

/** What the checks of an installation work with. */
export type Checked = {
  readonly checklist: Checklist;
  readonly api: Api;
  readonly transport: Transport;
  readonly server: TemporaryServer;
  readonly projectId: ProjectId;
};

/** Deploys, follows, repeats, cancels and rolls back. */
export async function checkDeployments({ checklist, api, transport, projectId }: Checked): Promise<void> {
  const params = { project_id: projectId };
  const first = await checklist.check("a deployment goes live", async () => {
    const startedAt = performance.now();
    const { id } = valueOf(await api.startDeployment({ params }), "Starting the deployment");
    const { lines, firstLineMs } = await follow(transport, id, startedAt);
    await ended(api, id, "live");
    const tookMs = performance.now() - startedAt;
    const note = `in ${formatDuration(tookMs)}; the first of ${lines} lines of the log arrived after ${formatDuration(firstLineMs)}`;
    return { value: { id, lines }, note };
  });
  await checklist.check("a repeated request starts nothing", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const starts = [
      await api.startDeployment({ params, headers }),
      await api.startDeployment({ params, headers }),
    ];
    const [one, other] = starts.map((start) => valueOf(start, "Starting the deployment").id);
    if (one === undefined || one !== other)
      throw new Problem(`Two deployments were started: ${one}, ${other}.`);
    await ended(api, one, "live");
    return { value: null, note: "both requests got the same deployment" };
  });
  if (first !== null)
    await checklist.check("a log can be read after its deployment", async () => {
      const page = valueOf(
        await api.getDeploymentLog({ params: { deployment_id: first.id }, query: { limit: 1000 } }),
        "Reading the log",
      );
      if (page.lines.length < first.lines)
        throw new Problem(`The log has ${page.lines.length} lines, but ${first.lines} were followed.`);
      return { value: null, note: `${page.lines.length} lines` };
    });
  await checklist.check("a running build is canceled", async () => {
    await setBuild(api, projectId, LONG_BUILD);
    const { id } = valueOf(await api.startDeployment({ params }), "Starting the deployment");
    await reach(
      api,
      id,
      "is not in its build",
      ({ stage, status }) => stage === "build" || status !== "building",
    );
    const startedAt = performance.now();
    valueOf(await api.cancelDeployment({ params: { deployment_id: id } }), "Canceling the deployment");
    await ended(api, id, "canceled");
    await setBuild(api, projectId, null);
    return { value: null, note: `in ${formatDuration(performance.now() - startedAt)}` };
  });
  await checklist.check("a rollback goes live", async () => {
    const startedAt = performance.now();
    const { id } = valueOf(await api.rollBack({ body: { project_id: projectId } }), "Starting the rollback");
    await ended(api, id, "live");
    return { value: null, note: `in ${formatDuration(performance.now() - startedAt)}` };
  });
}

/** Checks what happens when nothing happens: objects leave the memory, and an agent that is gone is noticed. */
export async function checkWaiting({ checklist, api, server, projectId }: Checked): Promise<void> {
  await checklist.check("a deployment starts after a minute without requests", async () => {
    await pause(IDLE_MS);
    const startedAt = performance.now();
    const started = valueOf(await api.startDeployment({ params: { project_id: projectId } }), "Starting it");
    await ended(api, started.id, "live");
    return { value: null, note: `live in ${formatDuration(performance.now() - startedAt)}` };
  });
  await checklist.check("a server whose agent was killed is offline", async () => {
    server.kill();
    const startedAt = performance.now();
    await waitUntilOffline(api, server.id);
    return { value: null, note: `after ${formatDuration(performance.now() - startedAt)}` };
  });
}

async function setBuild(api: Api, projectId: ProjectId, command: string | null): Promise<void> {
  const body = { build_command: command };
  valueOf(await api.updateProject({ params: { project_id: projectId }, body }), "Changing the project");
}

async function follow(transport: Transport, id: DeploymentId, startedAt: number) {
  let lines = 0;
  let firstLineMs = 0;
  const signal = AbortSignal.timeout(DEPLOYMENT_TIMEOUT_MS);
  for await (const event of followLog(transport, id, { signal })) {
    if (event.type !== "line") continue;
    lines += 1;
    if (lines === 1) firstLineMs = performance.now() - startedAt;
  }
  if (lines === 0) throw new Problem("Nothing of the log arrived.");
  return { lines, firstLineMs };
}

async function ended(api: Api, id: DeploymentId, status: "live" | "canceled"): Promise<void> {
  const deployment = await reach(api, id, "has not ended", (read) => read.status !== "building");
  if (deployment.status === status) return;
  const why = deployment.failure === null ? "" : `: ${deployment.failure.message}`;
  throw new Problem(`The deployment ${id} is ${deployment.status} instead of ${status}${why}.`);
}

async function reach(
  api: Api,
  id: DeploymentId,
  problem: string,
  isReached: (deployment: Deployment) => boolean,
): Promise<Deployment> {
  const read = async () =>
    valueOf(await api.getDeployment({ params: { deployment_id: id } }), "Reading the deployment");
  const wait = { pollMs: POLL_MS, timeoutMs: DEPLOYMENT_TIMEOUT_MS };
  return await readUntil(read, isReached, wait, `The deployment ${id} ${problem}`);
}

async function waitUntilOffline(api: Api, id: ServerId): Promise<void> {
  const read = async () => valueOf(await api.getServer({ params: { server_id: id } }), "Reading the server");
  const wait = { pollMs: 1_000, timeoutMs: OFFLINE_TIMEOUT_MS };
  await readUntil(read, ({ status }) => status === "offline", wait, "The server is not offline");
}

/** Reads again until the value is as wanted. @throws Problem at the end of the time; `problem`: the beginning of its sentence */
async function readUntil<Value>(
  read: () => Promise<Value>,
  isReached: (value: Value) => boolean,
  { pollMs, timeoutMs }: { readonly pollMs: number; readonly timeoutMs: number },
  problem: string,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const value = await read();
    if (isReached(value)) return value;
    await pause(pollMs);
  }
  throw new Problem(`${problem} after ${formatDuration(timeoutMs)}.`);
}
