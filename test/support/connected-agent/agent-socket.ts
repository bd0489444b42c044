import { expect } from "vitest";

import { type RunEvent, RunEventsAnswer } from "#contract/agent-events.ts";
import {
  ARTIFACTS,
  IMAGES,
  FLEET,
  type ActiveRun,
  type DeployKeyReport,
  Enrolled,
  PONG,
  PROTOCOL_VERSION,
  type ProjectReport,
  ToAgent,
} from "#contract/agent-protocol.ts";
import type { BalanceReports, FleetReport } from "#contract/agent-fleet.ts";
import type { AgentAnswer } from "#contract/agent-answers.ts";
import { requestTypes } from "#contract/agent-requests.ts";
import type { TipMoved } from "#contract/agent-watch.ts";
import type {
  Containers,
  Disk,
  IsolationLevel,
  PolicyLevel,
  ToolReport,
} from "#contract/endpoints/servers/schemas.ts";
import type { FollowedLine, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { CommandReading } from "#contract/endpoints/commands/schemas.ts";
import type { CronJobReport, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { SHA } from "../model/model-agent.ts";

/** The key that an agent makes for every project. */
export const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl gantry-shop@web-1";

/** What an agent says about a command that has ended. */
export const endedCommand: Extract<CommandReading, { ok: true }> = {
  ok: true,
  state: {
    ...{ status: "exited", exit_code: 0, signal: null, message: "ended with exit code 0", release: 1 },
    ...{ started_at: "2026-11-20T09:14:43.090Z", finished_at: "2026-11-20T09:14:44.090Z" },
  },
  lines: [{ stream: "stdout", message: "one" }],
  next_offset: 36,
  complete: true,
};

/** What an agent says about a run of a job that has ended. */
export const endedCronRun: Extract<CronRunReading, { ok: true }> = {
  ok: true,
  run: {
    ...{ number: 3, trigger: "schedule", scheduled_for: "2026-11-20T01:30:00.000Z", times: 1 },
    ...endedCommand.state,
  },
  lines: [{ stream: "stdout", message: "saved" }],
  next_offset: 38,
  complete: true,
};

/** A job of every project. */
export const cronJob: CronJobReport = {
  ...{ name: "backup", schedule: "30 2 * * *", timezone: "Europe/Berlin", command: "./backup" },
  ...{ timeout_seconds: 3600, source: "project", next_run_at: "2026-11-21T01:30:00.000Z", problem: null },
  runs: [endedCronRun.run],
};

const DISK: Disk = { total_bytes: 100e9, free_bytes: 60e9 };

/** What an agent reports of the isolation and the policy of its server, unless a test changes it. */
export const LEVEL = { isolation: "none", policy: "open" } as const;

/** The link's socket, of the Worker's runtime or of Node. */
export type LinkSocket = {
  readonly send: (data: string) => void;
  readonly close: (code: number, reason: string) => void;
};

export type LinkEvents = {
  readonly onMessage: (data: unknown) => void;
  readonly onClose: (code: number, reason: string) => void;
};

/** How an agent reaches the control plane: inside the Worker's runtime, or over the network. */
export type Network = {
  /** @throws when the control plane refuses the link */
  readonly openLink: (credential: string, events: LinkEvents) => Promise<LinkSocket>;
  /** Posts JSON. `token`: the bearer token, or null to send none. */
  readonly post: (
    path: string,
    token: string | null,
    body: unknown,
  ) => Promise<{ readonly status: number; readonly json: () => Promise<unknown> }>;
};

/** What identifies an enrolled agent. */
export type Identity = { readonly serverId: string; readonly credential: string };

/** Enrols an agent with the enrolment token of a server. */
export async function enrol(network: Network, token: string, hostname: string): Promise<Identity> {
  const body = { token, hostname, agent_version: "0.2.0" };
  const answer = await network.post("/v1/agent/enroll", null, body);
  const { server_id: serverId, credential } = Enrolled.parse(await answer.json());
  return { serverId, credential };
}

type RequestOf<Type extends ToAgent["type"]> = Extract<ToAgent, { type: Type }>;

function madeKey({ request_id, project_id }: RequestOf<"make_deploy_key">): AgentAnswer {
  return { type: "deploy_key", request_id, project_id, public_key: PUBLIC_KEY, message: "" };
}

function passedTest({ request_id, project_id, branch }: RequestOf<"test_repository">): AgentAnswer {
  const result = { ok: true, branch, commit_sha: "8".repeat(40), tried: "no login", host_key: null } as const;
  return { type: "repository_tested", request_id, project_id, result };
}

function foundDomains({ request_id, project_id, domains }: RequestOf<"check_domains">): AgentAnswer {
  const found = domains.map((domain) => ({
    ...({ domain, lookup: "answered", certificate: null } as const),
    addresses: [{ address: "198.51.100.7", is_server: false }],
  }));
  return { type: "domains_checked", request_id, project_id, domains: found };
}

function doneMaintenance({ request_id, project_id }: RequestOf<"set_maintenance">): AgentAnswer {
  return { type: "maintenance_set", request_id, project_id, problem: null };
}

function doneDrain({ request_id }: RequestOf<"set_drain">): AgentAnswer {
  return { type: "drain_set", request_id, problem: null };
}

function donePause({ request_id, project_id }: RequestOf<"set_pause">): AgentAnswer {
  return { type: "pause_set", request_id, project_id, result: { ok: true } };
}

/** The requests and messages of one agent, over the real link and the real endpoints. It keeps no state of any run. */
export class AgentSocket {
  readonly serverId: string;
  readonly credential: string;
  /** The messages received so far, over all links. */
  readonly received: ToAgent[] = [];
  /** The reported isolation. */
  isolation: IsolationLevel = LEVEL.isolation;
  /** The reported policy. */
  policy: PolicyLevel = LEVEL.policy;
  /** The programs that it reports; `undefined`: none yet. */
  tools: ToolReport[] | undefined = undefined;
  /** What makes containers on its server; `undefined`: it is too old to say that. */
  containers: Containers | undefined = undefined;
  disk = DISK;
  /** The reported problem of the ingress. */
  ingressProblem: string | undefined = undefined;
  /** How other servers reach its ingress, and what it has taken out as a balancer. */
  fleet: FleetReport | undefined = undefined;
  balance: BalanceReports | undefined = undefined;
  /** Why it cannot do what it must know of other servers. */
  fleetProblem: string | null = null;
  /** What it can do besides answering requests, as its hello says. */
  capabilities: string[] = [FLEET, ARTIFACTS, IMAGES];
  /** The reported processes of every project. */
  processes: ProcessReport[] = [];
  /** The reported output of the instances of every project. */
  printed: AppOutputLine[] = [];
  /** The answers about jobs, and about their runs. */
  cronJobs: readonly CronJobReport[] = [cronJob];
  cronRun: CronRunReading = endedCronRun;
  /** The answer about commands. */
  command: CommandReading = endedCommand;
  pongs = 0;
  closed: { code: number; reason: string } | null = null;
  readonly network: Network;
  /** Whether requests of the control plane are answered at once. A test can also use `answer`. */
  answersRequests = false;
  /** The commit of every branch, with which it answers requests to resolve one; null: it does not answer them. */
  tip: string | null = SHA;
  #socket: LinkSocket | null = null;

  constructor(network: Network, { serverId, credential }: Identity) {
    this.network = network;
    this.serverId = serverId;
    this.credential = credential;
  }

  /** Opens the link and sends the `hello`. With `deployKeys`, the agent can answer requests: the test does, unless `answersRequests`. */
  async connect(
    hello: {
      projects?: ProjectReport[];
      runs?: readonly ActiveRun[];
      protocol?: number;
      sealKey?: SealKey;
      deployKeys?: readonly DeployKeyReport[];
    } = {},
  ): Promise<void> {
    this.#socket = await this.network.openLink(this.credential, {
      onMessage: (data) => {
        if (data === PONG) this.pongs += 1;
        else if (typeof data === "string") this.#receive(ToAgent.parse(JSON.parse(data)));
      },
      onClose: (code, reason) => {
        this.closed = { code, reason };
      },
    });
    this.closed = null;
    this.#send({
      type: "hello",
      protocol: hello.protocol ?? PROTOCOL_VERSION,
      agent_version: "0.2.0",
      capabilities: [
        ...(this.answersRequests || hello.deployKeys !== undefined ? requestTypes : []),
        ...this.capabilities,
      ],
      disk: this.disk,
      isolation: this.isolation,
      policy: this.policy,
      tools: this.tools,
      containers: this.containers,
      ingress_problem: this.ingressProblem,
      fleet: this.fleet,
      balance: this.balance,
      projects: hello.projects ?? [],
      runs: (hello.runs ?? []).map(({ project_id, deployment_id, run_id }) => ({
        project_id,
        deployment_id,
        run_id,
      })),
      ...(hello.sealKey === undefined ? {} : { seal_key: hello.sealKey }),
      deploy_keys: [...(hello.deployKeys ?? [])],
    });
  }

  #receive(message: ToAgent): void {
    this.received.push(message);
    if (message.type === "resolve_commit" && this.tip !== null) this.resolves(message, this.tip);
    if (!this.answersRequests) return;
    this.#answerCron(message);
    if (message.type === "make_deploy_key") this.answer(madeKey(message));
    if (message.type === "test_repository") this.answer(passedTest(message));
    if (message.type === "check_domains") this.answer(foundDomains(message));
    if (message.type === "set_maintenance") this.answer(doneMaintenance(message));
    if (message.type === "set_drain") this.answer(doneDrain(message));
    if (message.type === "set_fleet") this.answer(this.#setFleet(message));
    if (message.type === "set_pause") this.answer(donePause(message));
    if (message.type === "read_processes") this.answer(this.#readProcesses(message));
    if (message.type === "read_output") this.answer(this.#readOutput(message));
    if (message.type === "list_commands") this.answer(this.#listCommands(message));
    if (
      message.type === "start_command" ||
      message.type === "read_command" ||
      message.type === "stop_command"
    ) {
      const { request_id, project_id } = message;
      const { command } = this;
      const isRead = command.ok && message.type === "read_command" && message.offset >= command.next_offset;
      const result = isRead ? { ...command, lines: [] } : command;
      this.answer({ type: "command_read", request_id, project_id, result });
    }
  }

  #answerCron(message: ToAgent): void {
    if (message.type === "read_cron") {
      const { request_id, project_id } = message;
      this.answer({ type: "cron_read", request_id, project_id, jobs: [...this.cronJobs] });
    }
    if (message.type === "run_cron" || message.type === "read_cron_run" || message.type === "stop_cron_run") {
      const { request_id, project_id } = message;
      this.answer({ type: "cron_run_read", request_id, project_id, result: this.cronRun });
    }
  }

  #setFleet({ request_id, fleet: { revision } }: RequestOf<"set_fleet">): AgentAnswer {
    return { type: "fleet_set", request_id, revision, problem: this.fleetProblem };
  }

  #readProcesses({ request_id, project_id }: RequestOf<"read_processes">): AgentAnswer {
    return { type: "processes_read", request_id, project_id, processes: this.processes };
  }

  /** As if every command that it was asked to start had the state that it says. */
  #listCommands({ request_id, project_id }: RequestOf<"list_commands">): AgentAnswer {
    const { command } = this;
    const started = command.ok
      ? this.received.flatMap((one) =>
          one.type === "start_command" && one.project_id === project_id ? [one.command_id] : [],
        )
      : [];
    const state = command.ok ? command.state : endedCommand.state;
    const commands = [...new Set(started)].map((id) => ({ id, state }));
    return { type: "commands_listed", request_id, project_id, commands };
  }

  #readOutput({ request_id, project_id }: RequestOf<"read_output">): AgentAnswer {
    return { type: "output_read", request_id, project_id, lines: this.printed };
  }

  /** Sends lines of a project that is followed. @param reader whose first lines they are; null: lines for all readers */
  prints(
    projectId: string,
    reader: string | null,
    lines: readonly FollowedLine[],
    leftOut: number | null = 0,
  ): void {
    this.#send({ type: "output", project_id: projectId, reader, lines, left_out: leftOut });
  }

  /** Answers a request of the control plane. */
  answer(message: AgentAnswer): void {
    this.#send(message);
  }

  /** Answers a request to resolve a commit. */
  resolves(
    { request_id, project_id, deployment_id, source }: RequestOf<"resolve_commit">,
    sha: string,
  ): void {
    this.answer({
      ...{ type: "commit_resolved", request_id, project_id, deployment_id, repository: source.repository },
      result: { ok: true, commit_sha: sha, commit_message: "Change the title" },
    });
  }

  /** Whether a link was opened that has not ended yet. */
  get isOpen(): boolean {
    return this.#socket !== null && this.closed === null;
  }

  serving(project: ProjectReport): void {
    this.#send({ type: "serving", project });
  }

  status(projects: ProjectReport[]): void {
    this.#send({
      type: "status",
      disk: this.disk,
      isolation: this.isolation,
      policy: this.policy,
      tools: this.tools,
      containers: this.containers,
      ingress_problem: this.ingressProblem,
      fleet: this.fleet,
      balance: this.balance,
      projects,
    });
  }

  /** Reports that a watched branch has moved. */
  moved(tip: Omit<TipMoved, "type">): void {
    this.#send({ type: "tip_moved", ...tip });
  }

  /** Reports that a project was removed. */
  confirmRemoval(projectId: string, purge: boolean): void {
    this.#send({ type: "project_removed", project_id: projectId, purge });
  }

  sendText(data: string): void {
    this.#socket?.send(data);
  }

  cut(): void {
    this.#socket?.close(1000, "");
    this.#socket = null;
  }

  async postEvents(run: ActiveRun, events: readonly RunEvent[]): Promise<RunEventsAnswer> {
    const answer = await this.#post(run, events);
    expect(answer.status).toBe(200);
    return RunEventsAnswer.parse(await answer.json());
  }

  /** @returns null after an answer that asks to send the events again */
  async tryToPost(run: ActiveRun, events: readonly RunEvent[]): Promise<RunEventsAnswer | null> {
    const answer = await this.#post(run, events);
    if (answer.status === 503) return null;
    expect(answer.status).toBe(200);
    return RunEventsAnswer.parse(await answer.json());
  }

  async #post({ project_id, run_id, deployment_id }: ActiveRun, events: readonly RunEvent[]) {
    const path = `/v1/agent/deployments/${deployment_id}/events`;
    return await this.network.post(path, this.credential, { project_id, run_id, events });
  }

  #send(message: unknown): void {
    this.#socket?.send(JSON.stringify(message));
  }
}
