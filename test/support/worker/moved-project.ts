import { expect } from "vitest";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ConnectedAgent } from "../connected-agent/connected-agent.ts";
import { enrolAgent } from "./enrol-agent.ts";
import { TestProject } from "./project.ts";

/** The orders to remove a project that an agent has received. */
export const removals = (agent: ConnectedAgent) =>
  agent.received.filter(({ type }) => type === "remove_project");

/** What an agent reports of a project. */
export function report({ id }: TestProject, release: number | null, releases: number[]): ProjectReport {
  return { project_id: id, release, releases, url: "http://127.0.0.1:9000" };
}

/** A project with a live deployment that was moved to a second server, without a deployment there yet. */
export async function moved(): Promise<{ project: TestProject; to: ConnectedAgent }> {
  const project = await TestProject.connected();
  await project.deploy();
  const to = await enrolAgent(project.token, "web-2");
  await to.connect();
  await to.receives("welcome");
  const response = await project.patch({ server_id: to.serverId });
  expect(await response.json()).toMatchObject({ server_id: to.serverId });
  return { project, to };
}
