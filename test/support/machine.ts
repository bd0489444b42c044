import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { beforeAll, beforeEach, expect } from "vitest";

import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { createRepository } from "../agent/support/repository.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { DownloadSite } from "./download-site.ts";
import { createApi } from "./journey-api.ts";
import { runShell, type ShellEnd } from "./run-shell.ts";

type Environment = Readonly<Record<string, string>>;

/** A folder of this machine in which a test installs agents, without a service. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "gantry-install-"));
  readonly prefix = join(this.folder, "prefix");
  readonly program = join(this.prefix, "bin/gantry-agent");
  readonly home = join(this.prefix, "share/gantry");
  readonly site: DownloadSite;
  readonly #gantry: Gantry;
  readonly #agents: ChildProcess[] = [];

  private constructor(gantry: Gantry, site: DownloadSite) {
    this.#gantry = gantry;
    this.site = site;
  }

  static async create(gantry: Gantry): Promise<Machine> {
    return new Machine(gantry, await DownloadSite.open(gantry.url));
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await this.end(agent);
    await this.site.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The PATH of a shell here, with this Node first and without the programs of node_modules. */
  environment(node = process.execPath): { PATH: string; HOME: string } {
    const tools = join(this.folder, `tools-${node.replaceAll("/", "-")}`);
    mkdirSync(tools, { recursive: true });
    if (!existsSync(join(tools, "node"))) symlinkSync(node, join(tools, "node"));
    const path = (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((part) => !part.includes("node_modules"));
    return { PATH: [tools, ...path].join(delimiter), HOME: this.folder };
  }

  /** Adds a program that replaces an existing one. */
  withProgram(name: string, script: string): Environment {
    const tools = join(this.folder, `other-${name}`);
    mkdirSync(tools);
    writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(tools, name), 0o755);
    const { PATH, HOME } = this.environment();
    return { PATH: `${tools}${delimiter}${PATH}`, HOME };
  }

  /**
   * A PATH of only these programs, as far as the machine has them. `node` is this Node. A pair is a program's name and
   * the script that replaces it.
   */
  onlyWith(...programs: readonly (string | readonly [name: string, script: string])[]): Environment {
    const tools = mkdtempSync(join(this.folder, "only-"));
    for (const program of programs) {
      if (typeof program === "string") {
        const path = program === "node" ? process.execPath : whereIs(program);
        if (path !== null) symlinkSync(path, join(tools, program));
      } else {
        const [name, script] = program;
        rmSync(join(tools, name), { force: true });
        writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      }
    }
    return { PATH: tools, HOME: this.folder };
  }

  async installer(): Promise<string> {
    return await (await fetch(`${this.site.url}/install.sh`)).text();
  }

  /** Installs with `curl … | GANTRY_TOKEN=… sh -s -- …`, without a service. */
  async install(
    token: string | null,
    args: readonly string[] = [],
    { env = this.environment(), script }: { env?: Environment; script?: string } = {},
  ): Promise<ShellEnd> {
    return await runShell(["sh", "-s", "--", "--no-service", "--prefix", this.prefix, ...args], {
      input: script ?? (await this.installer()),
      env: { ...env, ...(token === null ? {} : { GANTRY_TOKEN: token }) },
    });
  }

  /** The install command from the API's answer, without the service, which this machine may not support. */
  async runLine({ enrollment }: ServerCreated, env: Environment = this.environment()): Promise<ShellEnd> {
    const line = `${enrollment.command} -s -- --no-service --prefix ${this.prefix}`;
    return await runShell(["sh", "-c", line], { env });
  }

  /** Starts the installed agent with the command that the installer prints. */
  async startAgent(env: Environment = this.environment()): Promise<ChildProcess> {
    const agent = this.spawnAgent(env);
    await expect.poll(async () => (await this.status(env)).code).toBe(0);
    return agent;
  }

  /** Starts the installed agent. */
  spawnAgent(env: Environment = this.environment()): ChildProcess {
    const agent = spawn(this.program, ["run"], { env, stdio: "ignore" });
    this.#agents.push(agent);
    return agent;
  }

  async status(env: Environment = this.environment()): Promise<ShellEnd> {
    return await runShell([this.program, "status"], { env });
  }

  async end(agent: ChildProcess): Promise<void> {
    if (agent.exitCode !== null || agent.signalCode !== null) return;
    const exited = once(agent, "exit");
    agent.kill("SIGTERM");
    await exited;
  }

  /** Deploys a site to a server. @returns the path of its page's file */
  async deploySite({ id, name }: ServerCreated): Promise<string> {
    const repository = createRepository(join(this.folder, "repository"));
    repository.commit({ "index.html": "installed" });
    const api = createApi(this.#gantry.url, this.#gantry.token);
    const project = await api.createProject({
      name,
      server_id: id,
      repository: repository.path,
      build_command: "echo built >> index.html",
    });
    const started = await api.start(project.id);
    expect(await api.ended(started.id)).toMatchObject({ status: "live", failure: null });
    const page = join(this.home, "projects", project.id, "current/index.html");
    expect(readFileSync(page, "utf8")).toBe("installedbuilt\n");
    return page;
  }

  /** The files that an installation created. */
  get installed(): string[] {
    if (!existsSync(this.prefix)) return [];
    return readdirSync(this.prefix, { recursive: true, encoding: "utf8" }).toSorted();
  }
}

function whereIs(program: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

/** Sets up a test file: each test gets its own machine, and all use one account. */
export function setUpMachines(use: (machine: Machine, gantry: Gantry) => void): void {
  let gantry: Gantry;
  beforeAll(async () => {
    gantry = await useGantry();
  });
  beforeEach(async () => {
    const machine = await Machine.create(gantry);
    use(machine, gantry);
    return () => machine.close();
  });
}
