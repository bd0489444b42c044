import { expect } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { useGantry } from "../../openapi/support/gantry.ts";
import { registerServer } from "../../support/enrolments.ts";
import { freePort } from "../../support/free-port.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import { DebianMachine } from "./debian-machine.ts";
import { servePackages } from "./package-registry.ts";

const DEPLOYMENT_MS = 110_000;

type Files = Readonly<Record<string, string>>;

/** A Debian with an agent, the tools of docs/servers.md for several languages, and a registry that they install from. */
export class LanguageServer {
  readonly machine: DebianMachine;
  readonly api: Api;
  readonly #id: string;

  private constructor(machine: DebianMachine, api: Api, id: string) {
    this.machine = machine;
    this.api = api;
    this.#id = id;
  }

  static async start(): Promise<LanguageServer> {
    const [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
    const server = await registerServer(gantry);
    await servePackages(machine, await freePort());
    expect(await machine.run(server.enrollment.command)).toMatchObject({ code: 0 });
    return new LanguageServer(machine, createApi(gantry.url, gantry.token), server.id);
  }

  /** Creates a project with a name and the address of a repository, and nothing else. */
  async createProject(name: string, files: Files): Promise<Project> {
    await this.commit(name, files);
    return await this.api.createProject({ name, server_id: this.#id, repository: repositoryOf(name) });
  }

  async commit(name: string, files: Files): Promise<void> {
    const repository = repositoryOf(name);
    for (const [path, text] of Object.entries(files)) await this.machine.write(`${repository}/${path}`, text);
    await this.machine.tell(
      `chown -R root ${repository} && cd ${repository} && chmod -R +x bin artisan 2>/dev/null; git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry ${repository}`,
    );
  }

  async deploy(projectId: string): Promise<Deployment> {
    const { id } = await this.api.start(projectId);
    return await this.api.ended(id, DEPLOYMENT_MS);
  }

  /** Deploys, and shows the log if the deployment is not live: the reason is there. */
  async expectLive(projectId: string): Promise<void> {
    const { id, status } = await this.deploy(projectId);
    const lines = status === "live" ? [] : await this.api.log(id);
    expect(lines.map(({ message }) => message)).toEqual([]);
    expect(status).toBe("live");
  }

  async close(): Promise<void> {
    await this.machine.close();
  }
}

function repositoryOf(name: string): string {
  return `/srv/repositories/${name}`;
}
