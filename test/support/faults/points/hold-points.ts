import { randomUUID } from "node:crypto";

import { Events } from "#contract/endpoints/events/endpoints.ts";
import { FreezeRows } from "#contract/endpoints/freezes/schemas.ts";

import { startedOf } from "../requests.ts";
import { faults } from "./faults.ts";
import { at } from "./moments.ts";
import type { Doing, FaultPoint, Scene } from "./point.ts";

const setApproval =
  (approval: "none" | "required") =>
  async ({ installation: { requests }, site }: Scene): Promise<void> => {
    await requests.send("PATCH", `/v1/projects/${site.projectId}`, { approval });
  };

/** Starts a deployment that needs an approval, and approves it when it is held. */
const approving: Doing = async ({ installation: { api, requests }, site }) => {
  const started = await requests.start(site.projectId);
  const { id } = startedOf(started);
  await api.waitUntil(id, ({ waiting_on: waiting }) => waiting?.type === "approval");
  const answer = await requests.send("POST", `/v1/deployments/${id}/approve`);
  if (answer?.status !== 200) throw new Error(`the approval was answered with ${answer?.status}`);
  return started;
};

const approvedOnce: NonNullable<FaultPoint["check"]> = async (
  deployment,
  { installation: { api }, site },
) => {
  if (deployment.approved_by === null) throw new Error("it is live without an approval");
  const query = `type=deployment.approved&project_id=${site.projectId}`;
  const { events } = Events.parse((await api.call("GET", `/v1/events?${query}`)).json);
  if (events.length !== 1) throw new Error(`${events.length} events say that it was approved`);
};

const needsApproval = {
  prepare: setApproval("required"),
  doing: approving,
  recover: setApproval("none"),
  ends: ["live"],
  check: approvedOnce,
} as const;

/** Long enough for a restart of the Worker on a busy machine. */
const FREEZE_MS = 20_000;

/** Creates a freeze that ends soon, and starts a deployment in it. */
const startingInFreeze: Doing = async ({ installation: { requests }, site }) => {
  const now = Date.now();
  const [from, to] = [now - 1_000, now + FREEZE_MS].map((time) => new Date(time).toISOString());
  const freeze = { name: site.name, project_id: site.projectId, times: { type: "once", from, to } };
  const created = await requests.send("POST", "/v1/freezes", freeze, { "idempotency-key": randomUUID() });
  if (created?.status !== 201) throw new Error(`the freeze was answered with ${created?.status}`);
  return requests.start(site.projectId);
};

const heldUntilItsEnd: NonNullable<FaultPoint["check"]> = async (deployment, scene) => {
  const { api } = scene.installation;
  const { freezes } = FreezeRows.parse((await api.call("GET", "/v1/freezes?limit=100")).json);
  const [freeze, ...more] = freezes.filter(({ name }) => name === scene.site.name);
  if (freeze?.times.type !== "once" || more.length > 0)
    throw new Error(`there are ${more.length + 1} freezes, and not one`);
  if (Date.parse(deployment.started_at ?? "") < Date.parse(freeze.times.to))
    throw new Error(`it ran at ${deployment.started_at}, before the freeze ended at ${freeze.times.to}`);
};

/** The runtime ends while something holds a deployment, or the hold ends. */
export const holdPoints: readonly FaultPoint[] = [
  {
    name: "the runtime dies before an approval arrives",
    at: at.approvalRequest,
    fault: faults.runtimeDies,
    ...needsApproval,
  },
  {
    name: "the runtime dies with the answer to an approval on its way",
    at: at.approvalAnswer,
    fault: faults.runtimeDies,
    ...needsApproval,
  },
  {
    name: "the runtime dies with the answer to a new freeze on its way",
    doing: startingInFreeze,
    at: at.freezeAnswer,
    fault: faults.runtimeDies,
    ends: ["live"],
    check: heldUntilItsEnd,
  },
  {
    name: "the runtime dies while a freeze that ends by itself holds a deployment",
    doing: startingInFreeze,
    at: at.frozen,
    fault: faults.runtimeDies,
    ends: ["live"],
    check: heldUntilItsEnd,
  },
];
