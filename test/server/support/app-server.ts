import { copyFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { ingressPrograms } from "../../../scripts/shared/ingress-programs.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { registerServer } from "../../support/enrolments.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import type { LoadTarget } from "../../support/load/load.ts";
import { DebianMachine } from "./debian-machine.ts";
import { servePackages } from "./package-registry.ts";

const DEPLOYMENT_MS = 240_000;
/** Where the ingress has the certificate of its own authority. */
export const AUTHORITY = "/var/lib/gantry-ingress/caddy/pki/authorities/local/root.crt";

type Files = Readonly<Record<string, string>>;

export type AppServerOptions = {
  /** Serves the packages of several languages, as the registries do. */
  readonly packages?: boolean;
  /** Installs the ingress, with certificates of its own authority. */
  readonly ingress?: boolean;
  /** A server that can run containers. */
  readonly containers?: boolean;
  /** Of servers that belong to the same account. */
  readonly gantry?: Gantry;
};

/** A Debian with an agent, and what apps need. */
export class AppServer {
  readonly machine: DebianMachine;
  readonly gantry: Gantry;
  readonly api: Api;
  readonly id: string;
  readonly #httpsPort: number;

  private constructor(machine: DebianMachine, gantry: Gantry, id: string, httpsPort: number) {
    this.machine = machine;
    this.gantry = gantry;
    this.api = createApi(gantry.url, gantry.token);
    this.id = id;
    this.#httpsPort = httpsPort;
  }

  static async start({
    packages = false,
    ingress = false,
    containers = false,
    ...shared
  }: AppServerOptions): Promise<AppServer> {
    const [gantry, machine] = await Promise.all([
      shared.gantry ?? useGantry(),
      DebianMachine.boot(containers ? "trixie" : "bookworm"),
    ]);
    const { id, enrollment } = await registerServer(gantry);
    await machine.allowLocalRepositories();
    if (packages) await servePackages(machine, await freePort());
    const httpsPort = ingress ? await prepareIngress(machine) : 0;
    const wanted = [ingress ? "--ingress" : null, containers ? "--with-containers" : null];
    const options = wanted.filter((option) => option !== null);
    const words = options.length === 0 ? "" : ` -s -- ${options.join(" ")}`;
    const installed = await machine.run(`${enrollment.command}${words}`, { GANTRY_CADDY: "/opt/caddy" });
    expect(installed).toMatchObject({ code: 0 });
    return new AppServer(machine, gantry, id, httpsPort);
  }

  /** Creates a project with a name and the address of a repository, and what the settings say. */
  async createProject(
    name: string,
    files: Files,
    settings: Readonly<Record<string, unknown>> = {},
  ): Promise<Project> {
    await this.commit(name, files);
    const repository = repositoryOf(name);
    return await this.api.createProject({ name, server_id: this.id, repository, ...settings });
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

  /** Deploys, and expects it to go live. */
  async expectLive(projectId: string): Promise<void> {
    const { id } = await this.api.start(projectId);
    await this.becomesLive(id);
  }

  /** Waits until a deployment is live, and shows its log if it fails: the reason is there. */
  async becomesLive(id: string): Promise<void> {
    const { status } = await this.api.ended(id, DEPLOYMENT_MS);
    const lines = status === "live" ? [] : await this.api.log(id);
    expect(lines.map(({ message }) => message)).toEqual([]);
    expect(status).toBe("live");
  }

  /** Where clients reach a domain, once the ingress has a certificate for it. */
  async target(domain: string): Promise<Required<LoadTarget>> {
    await eventually(`${domain} is served`, async () => !(await this.ask(domain)).startsWith("curl:"));
    return { port: this.#httpsPort, domain, ca: await this.machine.tell(`cat ${AUTHORITY}`) };
  }

  /** What a client that verifies the certificate gets, or curl's message. */
  async ask(domain: string, path = "/", further = ""): Promise<string> {
    const origin = `${domain}:${this.#httpsPort}`;
    const options = `-sS -m 30 ${further} --cacert ${AUTHORITY} --resolve ${origin}:127.0.0.1`;
    return (await this.machine.run(`curl ${options} https://${origin}${path}`)).output;
  }

  async close(): Promise<void> {
    await this.machine.close();
  }
}

/** The machine shares this machine's ports, so the ingress cannot have 80 and 443. @returns the port for TLS */
export async function prepareIngress(machine: DebianMachine): Promise<number> {
  await copyFile(ingressPrograms().caddy, `${machine.root}/opt/caddy`);
  const httpsPort = await freePort();
  await machine.write(
    "/etc/gantry/ingress.json",
    JSON.stringify({
      admin: "/run/gantry-ingress/admin.sock",
      check: "/run/gantry-ingress/check.sock",
      issuer: "internal",
      http_port: await freePort(),
      https_port: httpsPort,
      fleet_port: await freePort(),
    }),
  );
  return httpsPort;
}

function repositoryOf(name: string): string {
  return `/srv/repositories/${name}`;
}
