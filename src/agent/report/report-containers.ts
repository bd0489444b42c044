import type { ContainerEngine } from "#agent/containers/engine.ts";
import { type Containers, MAX_CONTAINERS_PROBLEM } from "#contract/endpoints/servers/schemas.ts";

/** What makes containers on this server, as the control plane reads it. */
export function reportContainers(engine: ContainerEngine): Containers {
  switch (engine.kind) {
    case "podman":
      return { engine: "podman", version: engine.version };
    case "missing":
      return { engine: null, problem: engine.reason.slice(0, MAX_CONTAINERS_PROBLEM).toWellFormed() };
  }
}
