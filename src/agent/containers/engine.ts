import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { askHelper } from "#agent/isolation/helper.ts";
import type { Isolation } from "#agent/isolation/isolation.ts";

/** What makes containers on this server. `missing`: nothing does, and `reason` says what to do. */
export type ContainerEngine =
  | { readonly kind: "podman"; readonly version: string }
  | { readonly kind: "missing"; readonly reason: string };

const INSTALL =
  "Run the install line of this server again with --with-containers, as root: it needs Debian 13 or newer.";

/** Finds the engine when the agent starts. Containers need a user for each project, and a helper that was set up for them. */
export async function findEngine(isolation: Isolation): Promise<ContainerEngine> {
  if (isolation.kind === "none")
    return {
      kind: "missing",
      reason:
        "Containers need the agent as a service, with a user for each project. Install it with install.sh as root.",
    };
  const answer = await askHelper(isolation.socketPath, { verb: "show" });
  if (answer.kind === "failed") return { kind: "missing", reason: answer.reason };
  if (!answer.words.includes("containers"))
    return { kind: "missing", reason: `This server is not set up for containers. ${INSTALL}` };
  const version = await podmanVersion();
  return version === null
    ? { kind: "missing", reason: `podman does not start. ${INSTALL}` }
    : { kind: "podman", version };
}

const VERSION_MS = 20_000;

async function podmanVersion(): Promise<string | null> {
  const ran = await promisify(execFile)("podman", ["--version"], { timeout: VERSION_MS }).catch(() => null);
  return /^podman version (\d+\.\d+\.\d+)/.exec(ran?.stdout ?? "")?.[1] ?? null;
}
