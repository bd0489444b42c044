import { readFile } from "node:fs/promises";

import { readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { createSystemdSupervisor } from "#agent/apps/systemd-supervisor.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { eventually } from "../../support/faults/eventually.ts";
import type { AppServer } from "./app-server.ts";

const HOME = "/var/lib/gantry";

/** What runs of a project, and what should. All names are of instances, and sorted. */
export type AppState = {
  /** The version that the control plane calls live, and the version that the agent keeps running. */
  readonly live: number | null;
  readonly kept: number | null;
  readonly wanted: readonly string[];
  readonly running: readonly string[];
  /** Where requests are led to; an address if no instance has it. */
  readonly led: readonly string[];
};

/** Looks at a project on the server and in the control plane. */
async function readState({ machine, api }: AppServer, { id }: Project): Promise<AppState> {
  const folder = projectFolder(`${machine.root}${HOME}`, id);
  const supervisor = createSystemdSupervisor({
    home: HOME,
    socketPath: `${machine.root}/run/gantry-isolate.sock`,
  });
  const [listed, deployments] = await Promise.all([supervisor.list(id), api.listDeployments(id)]);
  if (!listed.ok) throw new Error(listed.reason);
  const desired = readDesired(folder);
  const notes = readNotes(folder);
  const led = await Promise.all(
    slotFiles(`${machine.root}/run/gantry/slots`, id).slots.map(async (path) => {
      // There are none between a start of the machine and of the agent.
      const address = await readFile(path, "utf8").catch(() => "nowhere");
      return notes.find(({ port }) => address === `127.0.0.1:${port}`)?.name ?? address;
    }),
  );
  return {
    live: deployments.find(({ status }) => status === "live")?.version ?? null,
    kept: desired?.version ?? null,
    wanted: (desired?.instances ?? []).map(({ name }) => name).toSorted(),
    running: listed.value.map(({ name }) => name).toSorted(),
    led: [...new Set(led)].toSorted(),
  };
}

/** Waits until nothing but the live release runs, and all requests are led to it. @throws with the state that it has */
export async function onlyLiveRuns(server: AppServer, project: Project): Promise<AppState> {
  let state = await readState(server, project);
  const isSettled = async () => {
    state = await readState(server, project);
    const { live, kept, wanted, running, led } = state;
    return live === kept && running.join() === wanted.join() && led.join() === wanted.join();
  };
  await eventually(() => `only the live release runs: ${JSON.stringify(state)}`, isSettled);
  return state;
}
