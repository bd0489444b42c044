import { describe, expect, it, vi } from "vitest";

import { Processes } from "#contract/endpoints/processes/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { TestProject } from "../../support/worker/project.ts";

const CERTIFICATE = "shop.example.com has no certificate yet.";
const CADDY = "The ingress (Caddy) does not answer.";

describe("a problem of the ingress", () => {
  it("is in the server, the project and its processes, until the agent no longer reports it", async () => {
    const project = await TestProject.connected();
    const read = async () => {
      const body = async (path: string): Promise<unknown> => (await project.get(path)).json();
      const server = Server.parse(await body(`/v1/servers/${project.agent.serverId}`));
      const shown = Project.parse(await body(`/v1/projects/${project.id}`));
      const processes = Processes.parse(await body(`/v1/projects/${project.id}/processes`));
      return [server.status, server.ingress_problem, shown.ingress_problem, processes.ingress_problem];
    };
    const report = { project_id: ProjectId.parse(project.id), release: null, releases: [], url: null };
    project.agent.ingressProblem = CADDY;
    project.agent.status([{ ...report, ingress_problem: CERTIFICATE }]);
    await vi.waitFor(async () => expect(await read()).toEqual(["degraded", CADDY, CERTIFICATE, CERTIFICATE]));
    project.agent.ingressProblem = undefined;
    project.agent.status([report]);
    await vi.waitFor(async () => expect(await read()).toEqual(["healthy", null, null, null]));
  });
});
