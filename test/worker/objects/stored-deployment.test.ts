import { expect, it } from "vitest";

import { ServerId } from "#contract/ids.ts";
import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { activeOf, emptyLane, type Lane, type LaneDeployment } from "#domain/lane/lane.ts";
import { fromStored, storedDeployment, toStored } from "#worker/objects/project-lane/stored-deployment.ts";
import { accepted, deployed, reportActive, SERVER, start } from "../../support/lane.ts";
import { defaultPlan } from "../../support/plan.ts";

const OTHER = ServerId.parse("srv_01k9999999999999999999999z");
const servers = [SERVER, OTHER].map((id) => ({ id, processes: null, cron: false }));
const onTwo = { plan: { ...defaultPlan, fleet: { servers, rollout: Rollout.parse({}) } } };

const stored = (lane: Lane): unknown[] =>
  lane.deployments.map((one) => JSON.parse(JSON.stringify(toStored(one))));
const restored = (lane: Lane): LaneDeployment[] =>
  stored(lane).map((one) => fromStored(storedDeployment.parse(one)));

const running = (lane: Lane) => reportActive(lane, [{ seq: 1, type: "stage", stage: "fetch" }]).lane;

it("a deployment on one server is stored as before there could be several", () => {
  const live = deployed(emptyLane);
  const [one] = stored(live);
  expect(one).toMatchObject({ state: { name: "live", release: 1, releaseKept: true, evidence: {} } });
  expect(one).not.toHaveProperty("state.served");
  const started = accepted(start(live));
  expect(stored(started)[1]).toMatchObject({ state: { name: "offered", permit: "unsent" } });
  expect(stored(running(started))[1]).toMatchObject({ state: { name: "running", stage: "fetch" } });
  for (const lane of [live, started, running(started)]) expect(restored(lane)).toEqual(lane.deployments);
});

it("a deployment on several servers is stored with each run", () => {
  const started = accepted(start(deployed(emptyLane), 0, onTwo));
  expect(activeOf(started)?.state.runs.map(({ state }) => state.name)).toEqual(["offered", "waiting"]);
  for (const lane of [started, running(started)]) expect(restored(lane)).toEqual(lane.deployments);
});
