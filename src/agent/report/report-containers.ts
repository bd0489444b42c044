import type { AgentContext } from "#agent/context/context.ts";
import { type Containers, MAX_CONTAINERS_PROBLEM } from "#contract/endpoints/servers/schemas.ts";

/** What makes containers on this server, as the control plane reads it. */
export function reportContainers({ engine, policy }: Pick<AgentContext, "engine" | "policy">): Containers {
  const { image_signatures: rule } = policy;
  switch (engine.kind) {
    case "podman":
      return {
        ...{ engine: "podman", version: engine.version },
        ...(rule === "any" ? {} : { image_signatures: rule.others === "accept" ? "some" : "all" }),
      };
    case "missing":
      return { engine: null, problem: engine.reason.slice(0, MAX_CONTAINERS_PROBLEM).toWellFormed() };
  }
}
