import type { Site } from "../support/faults/site.ts";
import type { Chaos } from "./chaos.ts";
import { describe, type Operation } from "./operation.ts";

/** Changes a process, which starts a deployment without a build. Retries start more of them, and nobody gets their ids. */
async function changeProcess(
  { installation: { requests, ledger } }: Chaos,
  { projectId }: Site,
  method: "POST" | "PATCH",
  what: string,
  change: Record<string, unknown>,
): Promise<string> {
  ledger.unanswered.set(projectId, Infinity);
  const path = `/v1/projects/${projectId}/processes/${what}`;
  const answer = await requests.send(method, path, change);
  return `${what} ${JSON.stringify(change)} ${answer?.status ?? "no answer"}`;
}

/** What clients do with the processes of apps. */
export const appOperations: readonly Operation[] = [
  {
    name: "scale or change a process",
    weight: 12,
    act(chaos, site, chance) {
      const changes = [
        { instances: chance.integer(1, 3) },
        { command: "echo broken; exit 1" },
        { command: null },
        { stop_seconds: chance.integer(1, 3) },
      ];
      return changeProcess(chaos, site, "PATCH", "web", chance.pick(changes));
    },
  },
  {
    // Visitors would notice a stop of the other process.
    name: "stop or start the worker",
    weight: 3,
    act: (chaos, site, chance) =>
      changeProcess(chaos, site, "POST", `worker/${chance.pick(["stop", "start"])}`, {}),
  },
  {
    name: "restart a process",
    weight: 8,
    act: async ({ installation }, site, chance) =>
      describe(
        await installation.requests.configure(
          site.projectId,
          `/processes/${chance.pick(["web", "worker"])}/restart`,
        ),
      ),
  },
  {
    name: "apply a variable",
    weight: 6,
    async act({ installation: { requests } }, site, chance) {
      const set = [{ name: "MODE", value: `${chance.integer(1, 1_000)}` }];
      await requests.send("PATCH", `/v1/projects/${site.projectId}/variables`, { set });
      return describe(await requests.configure(site.projectId, "/apply"));
    },
  },
];
