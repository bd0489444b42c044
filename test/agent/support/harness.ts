import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type * as z from "zod";

import { createRunOutcomes } from "#agent/metrics/run-outcomes.ts";
import { createAppRegistry } from "#agent/apps/app-registry.ts";
import { chooseSupervisor } from "#agent/apps/choose-supervisor.ts";
import { endSupervisor } from "#agent/apps/process-supervisor.ts";
import type { ContainerEngine } from "#agent/containers/engine.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { Policy } from "#agent/policy/policy.ts";
import { type Isolation, noIsolation } from "#agent/isolation/isolation.ts";
import { noIngress } from "#agent/ingress/ingress.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { createPace } from "#agent/lib/pace.ts";
import { runAgent } from "#agent/main/run-agent.ts";
import { type AgentSettings, defaultSettings } from "#agent/context/settings.ts";
import { openSealKey } from "#agent/secrets/seal-key.ts";
import { createServerTools, type ServerTools } from "#build/tools/server-tools.ts";
import { noSites, type Sites } from "#agent/sites/sites-client.ts";
import type { OutputLine, RunEvent } from "#contract/agent-events.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { agentOf } from "#contract/endpoints/projects/project-settings.ts";

import { defaultPlan } from "../../support/plan.ts";
import { FakeControlPlane, type FakeRun } from "../../support/fake-control-plane.ts";
import { bundleAgent } from "./agent-bundle.ts";
import { createRepository, type TestRepository } from "./repository.ts";

/** What differs from the order of a plain deployment. */
export type OrderChange = Partial<Omit<RunOrder, "source">> & {
  readonly source?: Partial<RunOrder["source"]>;
};

export const ids = createIdGenerator({
  now: () => Date.now(),
  randomBytes: (count) => randomBytes(count),
});

/** Shorter values of the durations that take seconds in production. */
const quickSettings: AgentSettings = {
  ...defaultSettings,
  stopGraceMs: 300,
  partialLineMs: 60,
  flushMs: 20,
  signOfLifeMs: 400,
  permitPollMs: 30,
  pingMs: 100,
  mismatchRetryMs: 60,
  refusedGiveUpMs: 0,
  backOffBaseMs: 20,
  backOffCapMs: 100,
  shutdownReportMs: 1_000,
  appsCheckMs: 100,
  drainCheckMs: 50,
  cronCheckMs: 20,
  leastDrainMs: 200,
  settleMs: 300,
};

/** Shared by all worlds with the same PATH, because reading the versions starts programs. */
const serverTools = new Map<string | undefined, ServerTools>();
function toolsOf(environment: NodeJS.ProcessEnv): ServerTools {
  const path = environment["PATH"];
  const tools =
    serverTools.get(path) ??
    createServerTools({ environment, home: tmpdir(), monotonic: () => performance.now() });
  serverTools.set(path, tools);
  return tools;
}

/** An agent with its own home folder, fake control plane and repository to deploy. */
export class AgentWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "gantry-agent-"));
  readonly home = join(this.folder, "home");
  readonly projectId = ids.project();
  readonly control = new FakeControlPlane(ids.server());
  readonly repository: TestRepository = createRepository(join(this.folder, "repository"));
  /** The lines that the agents in this process logged. */
  readonly logLines: string[] = [];
  /** The URL that the agent uses for the control plane; `null`: the fake's own. */
  address: string | null = null;
  /** The error of the agent's wall clock in milliseconds. */
  clockShiftMs = 0;
  /** Called by `close` after all agents have ended. */
  readonly cleanUps: (() => void)[] = [];
  #agents: { stop(): Promise<unknown> }[] = [];
  /** The agent's policy, read when an agent starts. */
  policy: Partial<z.input<typeof Policy>> = {};
  /** The address of the repository in orders; `null`: its path. */
  repositoryUrl: string | null = null;
  /** Who runs the commands, read when an agent starts. */
  isolation: Isolation = noIsolation;
  /** What makes containers, read when an agent starts. */
  engine: ContainerEngine = { kind: "missing", reason: "Tests of containers run on a server." };
  #version = 0;

  get #repositoryAddress() {
    return this.repositoryUrl ?? this.repository.path;
  }

  get #supervisorOptions() {
    return { home: this.home, program: bundleAgent(), environment: process.env };
  }

  static async create(): Promise<AgentWorld> {
    const world = new AgentWorld();
    await world.control.listen();
    return world;
  }

  /** Stops everything. @throws if an agent has violated the protocol */
  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.stop();
    await endSupervisor(this.#supervisorOptions);
    for (const cleanUp of this.cleanUps) cleanUp();
    await this.control.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.control.breaches.length > 0) throw new Error(this.control.breaches.join("\n"));
  }

  /** Ends the instances of processes, as a reboot does. The agent must have ended. */
  async endInstances(): Promise<void> {
    await endSupervisor(this.#supervisorOptions);
  }

  async context(
    settings: Partial<AgentSettings> = {},
    sites: Sites = noSites,
    environment = process.env,
  ): Promise<AgentContext> {
    const clock = { now: () => Date.now() + this.clockShiftMs, monotonic: () => performance.now() };
    const used = { ...quickSettings, ...settings };
    const sealKey = await openSealKey(this.home);
    if (!sealKey.ok) throw new Error(sealKey.message);
    return {
      home: this.home,
      connection: {
        url: this.address ?? this.control.url,
        server_id: this.control.serverId,
        credential: this.control.credential,
      },
      settings: used,
      clock,
      pace: createPace(clock, used),
      proxy: null,
      sealKey: sealKey.value,
      policy: Policy.parse({ version: 1, ...this.policy }),
      random: () => Math.random(),
      environment,
      sites,
      apps: createAppRegistry(),
      runs: createRunOutcomes(),
      ingress: noIngress,
      slots: localSlotsFolder(this.home),
      isolation: this.isolation,
      engine: this.engine,
      supervisor: chooseSupervisor(this.isolation, this.#supervisorOptions),
      tools: toolsOf(environment),
      log: (message) => void this.logLines.push(message),
    };
  }

  /** Starts the agent in this process, and waits for its hello. */
  async startAgent(settings: Partial<AgentSettings> = {}, sites: Sites = noSites, environment = process.env) {
    const ending = new AbortController();
    const ended = runAgent(await this.context(settings, sites, environment), ending.signal);
    const agent = {
      ended,
      stop() {
        ending.abort();
        return ended;
      },
    };
    this.#agents.push(agent);
    const hellos = this.control.hellos;
    await this.control.waitForHello(hellos);
    return agent;
  }

  order({ source, ...change }: OrderChange = {}): RunOrder {
    this.#version += 1;
    return {
      run_id: ids.run(),
      deployment_id: ids.deployment(),
      project_id: this.projectId,
      project_name: "shop",
      version: this.#version,
      ...this.source(source ?? {}),
      reuse_release: null,
      preapproved: false,
      ...agentOf(defaultPlan),
      build_command: null,
      output_directory: ".",
      keep_releases: [],
      restart: [],
      cache: { clear: false, default_branch: "main" },
      ...change,
    };
  }

  /** Sends an order and waits for its result. */
  async deploy(change: OrderChange = {}) {
    const run = this.control.dispatch(this.order(change));
    const result = await this.control.result(run);
    return { run, result, order: run.order };
  }

  /** A change of an order: another source in the world's repository. */
  source(change: Partial<RunOrder["source"]>): Pick<RunOrder, "source"> {
    const rules = { commits: "reachable", in_branch: false, was_live: false } as const;
    return {
      source: { repository: this.#repositoryAddress, branch: "main", commit: null, ...rules, ...change },
    };
  }

  /** A path outside the agent's home, for files of the test's own commands. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** The lines of a file outside the agent's home; none without it. */
  linesOf(name: string): readonly string[] {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), "utf8").trim().split("\n") : [];
  }

  /** The pids in a file outside the agent's home, one a line. */
  pidsIn(name: string): readonly number[] {
    return this.linesOf(name).map(Number);
  }

  path(...parts: string[]): string {
    return join(this.home, "projects", this.projectId, ...parts);
  }

  /** The target of the `current` link; `null` without the link. */
  get current(): string | null {
    try {
      return readlinkSync(this.path("current"));
    } catch {
      return null;
    }
  }

  /** The versions of the finished releases, in ascending order. */
  get releases(): readonly number[] {
    const names = existsSync(this.path("releases")) ? readdirSync(this.path("releases")) : [];
    const versions = names.filter((name) => names.includes(`${name}.json`)).map(Number);
    return versions.toSorted((a, b) => a - b);
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), "utf8");
  }

  has(...parts: string[]): boolean {
    return existsSync(this.path(...parts));
  }
}

export function linesOf(run: FakeRun): readonly OutputLine[] {
  return run.events.flatMap((event) => (event.type === "output" ? event.lines : []));
}

export function messagesOf(run: FakeRun, stream?: OutputLine["stream"]): readonly string[] {
  return linesOf(run)
    .filter((line) => stream === undefined || line.stream === stream)
    .map((line) => line.message);
}

export function eventsOf<Type extends RunEvent["type"]>(
  run: FakeRun,
  type: Type,
): readonly Extract<RunEvent, { type: Type }>[] {
  return run.events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}

/** Whether a process with this pid is alive. Zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
