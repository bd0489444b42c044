import * as z from "zod/mini";

import { PING_INTERVAL_MS } from "#contract/agent-protocol.ts";

/** The agent's durations and sizes that projects cannot set. Milliseconds and bytes. */
export type AgentSettings = {
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** How long output is still read after a command has ended, while another process can write it. */
  readonly outputGraceMs: number;
  /** How often an output file is checked in addition to the system's notifications. */
  readonly pollOutputMs: number;
  /** The size limit of an output file, and how often the limit is applied to files that nobody follows. */
  readonly maxOutputFileBytes: number;
  readonly outputCheckMs: number;
  /** How long a line may stay unfinished before it is shown as it is. */
  readonly partialLineMs: number;
  /** How long an event may wait to be sent together with others. */
  readonly flushMs: number;
  readonly maxBatchBytes: number;
  /** How long events that the control plane has not stored may be held in memory only. */
  readonly spillMs: number;
  /** How many bytes of events may be held in memory only; more go to the spool immediately. */
  readonly spillBytes: number;
  /** The size limit of a run's spool. A complete log fits in. */
  readonly maxSpoolBytes: number;
  /** The limit of events in memory when the spool takes no more. Above it, the commands' pipes are paused. */
  readonly maxMemoryBytes: number;
  /** How many requests of all runs may be sent at once, and how many per second after that. */
  readonly requestBurst: number;
  readonly requestsPerSecond: number;
  /** The longest time between two requests of a run to the control plane. */
  readonly signOfLifeMs: number;
  /** How often a run that waits for the activation permit asks for it. */
  readonly permitPollMs: number;
  readonly statusMs: number;
  readonly pingMs: number;
  readonly missedPongs: number;
  /** Timeout from opening the link to `welcome`, and from a request to its answer. */
  readonly answerMs: number;
  /** How often the agent reconnects to a control plane with another protocol version. */
  readonly mismatchRetryMs: number;
  /** How long an agent whose credential is refused tries again before it ends. */
  readonly refusedGiveUpMs: number;
  readonly backOffBaseMs: number;
  readonly backOffCapMs: number;
  /** How long an agent that is shutting down tries to report the runs that it stopped. */
  readonly shutdownReportMs: number;
};

export const defaultSettings: AgentSettings = {
  stopGraceMs: 10_000,
  outputGraceMs: 200,
  pollOutputMs: 50,
  maxOutputFileBytes: 64 * 1024 * 1024,
  outputCheckMs: 20_000,
  partialLineMs: 250,
  flushMs: 100,
  maxBatchBytes: 64 * 1024,
  spillMs: 1_000,
  spillBytes: 256 * 1024,
  maxSpoolBytes: 64 * 1024 * 1024,
  maxMemoryBytes: 8 * 1024 * 1024,
  requestBurst: 300,
  requestsPerSecond: 50,
  signOfLifeMs: 20_000,
  permitPollMs: 1_000,
  statusMs: 180_000,
  pingMs: PING_INTERVAL_MS,
  missedPongs: 3,
  answerMs: 15_000,
  mismatchRetryMs: 300_000,
  refusedGiveUpMs: 900_000,
  backOffBaseMs: 500,
  backOffCapMs: 30_000,
  shutdownReportMs: 3_000,
};

/**
 * An environment variable with changed settings as JSON. For tests, which cannot wait as long as a network may take.
 */
const CHANGED_SETTINGS = "GANTRY_AGENT_SETTINGS";

const Changes = z.record(
  z.string().check(z.refine((name) => name in defaultSettings, "is no setting")),
  z.number(),
);

/** @throws when the variable is set but is not an object of known names and numbers */
export function readSettings(environment: NodeJS.ProcessEnv): AgentSettings {
  const text = environment[CHANGED_SETTINGS];
  if (text === undefined) return defaultSettings;
  const changed = Changes.parse(JSON.parse(text));
  return { ...defaultSettings, ...changed };
}
