import type { AgentConnection } from "#contract/agent-connection.ts";
import type { AppRegistry } from "#agent/apps/app-registry.ts";
import type { Ingress } from "#agent/ingress/ingress.ts";
import type { Supervisor } from "#agent/apps/supervisor.ts";
import type { ContainerEngine } from "#agent/containers/engine.ts";
import type { Isolation } from "#agent/isolation/isolation.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Pace } from "#agent/lib/pace.ts";
import type { AgentSettings } from "#agent/context/settings.ts";
import type { ServerSealKey } from "#agent/secrets/seal-key.ts";
import type { RunOutcomes } from "#agent/metrics/run-outcomes.ts";
import type { ServerTools } from "#build/tools/server-tools.ts";
import type { Sites } from "#agent/sites/sites-client.ts";

export type Clock = {
  /** The time of day in Unix milliseconds. It may jump in either direction, so durations are not measured with it. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never decreases. */
  monotonic(): number;
};

/**
 * The values that all parts of the agent share. Code below this does not read the clock, randomness or the
 * environment directly.
 */
export type AgentContext = {
  /** The agent's home folder, with all its files; absolute. */
  readonly home: string;
  readonly connection: AgentConnection;
  /** The proxy in front of the control plane; `null` when it is reached directly. */
  readonly proxy: URL | null;
  readonly settings: AgentSettings;
  /** The key that opens the secrets of this server's projects. */
  readonly sealKey: ServerSealKey;
  /** What the server's owner allows the control plane to order. Read when the agent starts. */
  readonly policy: Policy;
  readonly clock: Clock;
  /** A random number from 0 to 1, like Math.random. */
  readonly random: () => number;
  /** The agent's own environment. Commands get part of it. */
  readonly environment: NodeJS.ProcessEnv;
  /** The rate limit for the requests of all runs. */
  readonly pace: Pace;
  readonly sites: Sites;
  /** What the agent remembers of the instances while it runs. */
  readonly apps: AppRegistry;
  /** How the runs since the agent's start have ended. */
  readonly runs: RunOutcomes;
  /** What receives the visitors' requests. */
  readonly ingress: Ingress;
  /** The folder of the files through which the ingress finds each project's instances and files; absolute. */
  readonly slots: string;
  /** Who runs the commands of projects. Decided when the agent starts. */
  readonly isolation: Isolation;
  /** What makes containers. Looked for when the agent starts. */
  readonly engine: ContainerEngine;
  /** Runs the instances of apps. They do not end with the agent. */
  readonly supervisor: Supervisor;
  /** The programs of this server that builds use. */
  readonly tools: ServerTools;
  /** Prints one line to the agent's log. */
  readonly log: (message: string) => void;
};
