import { expect } from "vitest";

import { openSealKey } from "#agent/secrets/seal-key.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { Artifact } from "#contract/artifact.ts";

import type { FakeRun } from "../../support/fake-control-plane.ts";
import { AgentWorld, eventsOf, messagesOf } from "./harness.ts";

/** Another server, for which the same control plane stores builds. Its agent must be started. */
export async function otherServer(world: AgentWorld): Promise<AgentWorld> {
  const other = await AgentWorld.create();
  other.control.artifacts = world.control.artifacts;
  return other;
}

/** A task to build for these servers. */
export async function makeFor(
  servers: readonly AgentWorld[],
  change: { readonly only?: boolean } = {},
): Promise<NonNullable<RunOrder["artifact"]>> {
  const keys = await Promise.all(
    servers.map(async ({ home, control }) => {
      const opened = await openSealKey(home);
      if (!opened.ok) throw new Error(opened.message);
      return { server_id: control.serverId, seal_key: opened.value.shown };
    }),
  );
  return { type: "make", for: keys, only: false, ...change };
}

/** What a run has made for others. */
export function artifactOf(run: FakeRun): Artifact {
  const [event] = eventsOf(run, "artifact");
  if (event === undefined) throw new Error("the run has made no artifact");
  return event.artifact;
}

/** A change of an order, so that its run takes a build. */
export function take(
  artifact: Artifact,
  change: { readonly required?: boolean } = {},
): Pick<RunOrder, "artifact"> {
  return { artifact: { type: "take", artifact, required: false, ...change } };
}

/** Builds in a world for other servers, and expects that it works. */
export async function build(
  world: AgentWorld,
  servers: readonly AgentWorld[],
  change: Partial<RunOrder> = {},
) {
  const { run, result, order } = await world.deploy({ artifact: await makeFor(servers), ...change });
  expect(result, `${JSON.stringify(result)}\n${messagesOf(run).join("\n")}`).toMatchObject({
    outcome: "live",
  });
  const commit = eventsOf(run, "resolved")[0]?.commit_sha ?? null;
  return { artifact: artifactOf(run), run, order, commit };
}
