import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { checkCaddy } from "#agent/ingress/caddy/admin.ts";
import { createCaddyIngress } from "#agent/ingress/caddy/caddy-ingress.ts";
import { ingressFiles } from "#agent/ingress/caddy/load-sites.ts";
import type { Ingress } from "#agent/ingress/ingress.ts";
import { openPolicy } from "#agent/policy/policy.ts";
import { IngressSettings } from "#agent/ingress/settings.ts";
import { type SiteFile, writeSite } from "#agent/ingress/site-file.ts";
import { writeSlots } from "#agent/ingress/slots.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";

import { ingressPrograms } from "../../../scripts/shared/ingress-programs.ts";
import { freePort } from "../../support/free-port.ts";

type Environment = Readonly<Record<string, string>>;
type TestPorts = Pick<IngressSettings, "http_port" | "https_port" | "fleet_port">;

/** A server's Caddy with the agent's part that configures it, in a folder of its own and with its own ports. */
export class TestIngress {
  readonly #environment: Environment;
  // In /tmp, because the paths of sockets are limited.
  readonly home = mkdtempSync("/tmp/gantry-caddy-");
  readonly slots = join(this.home, "slots");
  readonly log: string[] = [];
  readonly settings: IngressSettings;
  readonly ingress: Ingress;
  #caddy: ChildProcess | null = null;

  private constructor(ports: TestPorts, options: object, environment: Environment) {
    this.#environment = environment;
    this.settings = IngressSettings.parse({
      admin: join(this.home, "admin.sock"),
      check: join(this.home, "check.sock"),
      issuer: "internal",
      ...ports,
      ...options,
    });
    this.ingress = createCaddyIngress({
      home: this.home,
      slots: this.slots,
      settings: this.settings,
      policy: openPolicy,
      checkMs: 100,
      membersMs: 500,
      now: () => Date.now(),
      log: (line) => void this.log.push(line),
    });
  }

  /** @param environment added to Caddy's */
  static async create(options: object = {}, environment: Environment = {}): Promise<TestIngress> {
    const ports = {
      http_port: await freePort(),
      https_port: await freePort(),
      fleet_port: await freePort(),
    };
    const test = new TestIngress(ports, options, environment);
    await mkdir(ingressFiles(test.home).folder, { recursive: true });
    const admin = {
      listen: `unix/${test.settings.admin}|0660`,
      origins: ["gantry"],
      config: { persist: false },
    };
    writeFileSync(ingressFiles(test.home).config, JSON.stringify({ admin }));
    await test.start();
    return test;
  }

  /** Starts Caddy with its file, as its service does. */
  async start(): Promise<void> {
    const output = openSync(join(this.home, "caddy.log"), "a");
    rmSync(this.settings.admin, { force: true });
    this.#caddy = spawn(ingressPrograms().caddy, ["run", "--config", ingressFiles(this.home).config], {
      env: { HOME: this.home, XDG_DATA_HOME: this.home, XDG_CONFIG_HOME: this.home, ...this.#environment },
      stdio: ["ignore", output, output],
    });
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
      if ((await checkCaddy(this.settings.admin)) === null) return;
      await pause(50);
    }
    throw new Error(`Caddy does not start:\n${this.caddyLog}`);
  }

  get caddyLog(): string {
    return readFileSync(join(this.home, "caddy.log"), "utf8");
  }

  /** The certificate of Caddy's own authority. */
  get authority(): string {
    return readFileSync(join(this.home, "caddy/pki/authorities/local/root.crt"), "utf8");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Has Caddy finish its requests and end, as its service does. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const caddy = this.#caddy;
    this.#caddy = null;
    if (caddy === null || caddy.exitCode !== null) return;
    const exited = once(caddy, "exit");
    caddy.kill(signal);
    await exited;
  }

  /** Freezes Caddy: the system accepts connections for it, and nothing answers. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#caddy?.kill(signal);
  }

  /** Writes a project's site as a switch does, and has the agent apply it. */
  async put(
    project: ProjectId,
    site: SiteFile,
    addresses: readonly string[] | null = null,
  ): Promise<ProjectFolder> {
    const folder = projectFolder(this.home, project);
    await mkdir(folder.root, { recursive: true });
    if (addresses !== null) await writeSlots(this.slots, project, addresses);
    await writeSite(folder, site);
    await this.ingress.apply();
    return folder;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }
}
