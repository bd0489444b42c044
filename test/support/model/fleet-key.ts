import { activeOf, type LaneDeployment, liveOf } from "#domain/lane/lane.ts";
import type { RunId } from "#contract/ids.ts";
import { currentRuns } from "#domain/lane/runs.ts";
import { type FleetWorld, idsIn, serverOf } from "./fleet-world.ts";
import type { ModelAgent } from "./model-agent.ts";

/** The number of each text. Most parts of a world do not change in a step, so keys are short. */
const numbers = new Map<string, number>();

function numberOf(text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}

/** The fields with a time, which count from now. */
const TIMES: ReadonlySet<string> = new Set(["deadlineAt", "lastContactAt", "sentAt", "pauseUntil", "since"]);
/** The fields that no decision uses. */
const IRRELEVANT: ReadonlySet<string> = new Set([
  "startedAt",
  "finishedAt",
  "endedAt",
  "evidence",
  "plan",
  "message",
  "stages",
]);

/** The text of a value without irrelevant fields, and with times that count from now. @param now null: without times */
function textOf(value: unknown, now: number | null): string {
  return JSON.stringify(value, (name, field: unknown) => {
    if (IRRELEVANT.has(name)) return undefined;
    if (!TIMES.has(name) || typeof field !== "number") return field;
    return now === null ? true : field - now;
  });
}

/** The number of an object at a time. Most objects stay the same in a step. */
class Parts<Value extends object> {
  readonly #known = new WeakMap<Value, { readonly now: number | null; readonly number: number }>();
  readonly #essence: (value: Value) => unknown;

  constructor(essence: (value: Value) => unknown) {
    this.#essence = essence;
  }

  numberOf(value: Value, now: number | null): number {
    const known = this.#known.get(value);
    if (known?.now === now) return known.number;
    const number = numberOf(textOf(this.#essence(value), now));
    this.#known.set(value, { now, number });
    return number;
  }
}

const deployments = new Parts<LaneDeployment>(deciding);
const agents = new Parts<ModelAgent>(workOf);
const others = new Parts<object>((value) => value);

/**
 * A text for what can still happen in a world, so that two worlds with the same text are the same state.
 * @param withTimes whether worlds differ that differ only in how long something lasts
 */
export function keyOfFleet(
  world: FleetWorld,
  { withTimes }: { readonly withTimes: boolean } = { withTimes: true },
): string {
  const { lane, built, permits, switches, released, withdrawn, canceled, approved } = world;
  const now = withTimes ? world.now : null;
  const key: (number | string | boolean)[] = [lane.nextVersion, world.tip.slice(-2)];
  for (const one of lane.deployments) key.push(deployments.numberOf(one, now));
  key.push("placements", others.numberOf(lane.placements, now));
  const runs = new Set<RunId>(currentRuns(lane).map(({ id }) => id));
  const concerned = new Set(runs);
  for (const id of idsIn(world)) {
    const { agent, network, wrong } = serverOf(world, id);
    for (const { runId } of agent.runs) concerned.add(runId);
    key.push(network, agents.numberOf(agent, now), wrong === null ? "" : others.numberOf(wrong, now));
    key.push(
      agent.seen
        .filter((runId) => runs.has(runId))
        .toSorted()
        .join(" "),
    );
    key.push(agent.releases.map((release) => built[`${id} ${release}`]?.slice(-2) ?? "").join(" "));
  }
  const open = new Set([activeOf(lane)?.id, liveOf(lane)?.id]);
  const made = switches.filter(({ runId, deploymentId }) => concerned.has(runId) || open.has(deploymentId));
  const texts = made.map(
    ({ runId, serverId, release, commit }) => `${runId} ${serverId} ${release} ${commit}`,
  );
  key.push(numberOf([...new Set(texts)].toSorted().join()));
  key.push(
    numberOf(
      permits
        .filter((id) => concerned.has(id))
        .toSorted()
        .join(),
    ),
  );
  key.push(
    others.numberOf(released, now),
    others.numberOf(withdrawn, now),
    others.numberOf(canceled, now),
    others.numberOf(approved, now),
  );
  return key.join();
}

/** A deployment without what nobody decides on. */
function deciding({ version, kind, codeVersion, commitSha, reuseRelease, state }: LaneDeployment): unknown {
  switch (state.name) {
    case "failed":
    case "canceled":
      return [version, state.name];
    case "superseded":
      return [version, codeVersion, commitSha, state.served];
    case "live": {
      const { plan, served, behind, catchUps } = state;
      return [version, codeVersion, commitSha, plan?.fleet, served, behind, catchUps];
    }
    case "queued":
      return [version, kind, codeVersion, reuseRelease, commitSha, state.plan.fleet, state.hold];
    case "active":
      return [version, kind, codeVersion, reuseRelease, commitSha, state.plan.fleet, state];
  }
}

function workOf({ isUp, current, releases, removal, runs }: ModelAgent): unknown {
  const unsent = runs.map((run) => run.unsent.map(({ seq, type }) => `${seq} ${type}`));
  return [isUp, current, releases, removal, runs.map((run, at) => ({ ...run, unsent: unsent[at] }))];
}
