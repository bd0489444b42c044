import type { Connection } from "#contract/agent-connection.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Pace } from "#agent/lib/pace.ts";
import type { AgentSettings } from "#agent/context/settings.ts";
import type { Sites } from "#agent/sites/sites-client.ts";

export type Clock = {
  /** The time of day in Unix milliseconds. It may jump either way, so nothing is measured with it. */
  now(): number;
  /** Milliseconds since some moment. They only rise, at their own pace. */
  monotonic(): number;
};

/** What every part of the agent shares. Nothing below reads a clock, chance or the environment by itself. */
export type AgentContext = {
  /** The folder that the agent keeps everything in; absolute. */
  readonly home: string;
  readonly connection: Connection;
  /** Through which the control plane is reached; `null`: directly. */
  readonly proxy: URL | null;
  readonly settings: AgentSettings;
  /** What this server's owner lets the control plane order. It was read at the start, and counts until the end. */
  readonly policy: Policy;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  readonly random: () => number;
  /** The agent's own environment, of which commands get a part. */
  readonly environment: NodeJS.ProcessEnv;
  /** Of the requests of all runs. */
  readonly pace: Pace;
  readonly sites: Sites;
  /** One line for the person who watches the agent. */
  readonly log: (message: string) => void;
};
