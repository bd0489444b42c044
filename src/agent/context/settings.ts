import * as z from "zod/mini";

import { PING_INTERVAL_MS } from "#contract/agent-protocol.ts";

/** The agent's durations and sizes that projects cannot set. Milliseconds and bytes. */
export const defaultSettings = {
  /** From SIGTERM to SIGKILL. */
  stopGraceMs: 10_000,
  /** How long output is still read after a command has ended, while another process can write it. */
  outputGraceMs: 200,
  /** How often an output file is checked in addition to the system's notifications. */
  pollOutputMs: 50,
  /** The size limit of an output file, and how often the limit is applied to files that nobody follows. */
  maxOutputFileBytes: 64 * 1024 * 1024,
  outputCheckMs: 20_000,
  /** The size limit of an instance's log. As much of its older output is kept in another file. */
  maxInstanceLogBytes: 5 * 1024 * 1024,
  /** The pause between two messages with the output of instances, and how long it is kept for a reader who reconnects. */
  outputBatchMs: 150,
  outputLingerMs: 10_000,
  /** How often to look which instances have printed something, for the times of their lines. */
  outputTimesMs: 1_000,
  /** How often the supervisor counts its instances. When it has none twice in a row, it ends. */
  supervisorIdleMs: 300_000,
  /** How often the supervisor checks that its home folder still exists. The second time that it does not, it ends. */
  homeCheckMs: 10_000,
  /** How long a line may stay unfinished before it is shown as it is. */
  partialLineMs: 250,
  /** How long an event may wait to be sent together with others. */
  flushMs: 100,
  /** How many bytes of events are sent without waiting for others. */
  batchBytes: 64 * 1024,
  /**
   * The size limit of a request if more waits. A request takes as long however large it is, and a deployment goes live
   * only after its output has been sent. A larger one would take more than half of the 10 ms of CPU time that the free
   * plan gives to a request.
   */
  maxBatchBytes: 192 * 1024,
  /** The size limit of an event with output lines. */
  maxEventBytes: 48 * 1024,
  /** How long events that the control plane has not stored may be held in memory only. */
  spillMs: 1_000,
  /** How many bytes of events may be held in memory only; more go to the spool immediately. */
  spillBytes: 256 * 1024,
  /** The size limit of a run's spool. A complete log fits in. */
  maxSpoolBytes: 64 * 1024 * 1024,
  /** The limit of events in memory when the spool takes no more. Above it, the commands' pipes are paused. */
  maxMemoryBytes: 8 * 1024 * 1024,
  /** How many requests of all runs may be sent at once, and how many per second after that. */
  requestBurst: 300,
  requestsPerSecond: 50,
  /** The longest time between two requests of a run to the control plane. */
  signOfLifeMs: 20_000,
  /** How often a run that waits for the activation permit asks for it. */
  permitPollMs: 1_000,
  statusMs: 180_000,
  /** How often the agent checks whether the ingress answers. */
  ingressCheckMs: 10_000,
  /** How often a balancer asks each member whether it takes requests. */
  membersCheckMs: 500,
  pingMs: PING_INTERVAL_MS,
  missedPongs: 3,
  /** Timeout from opening the link to `welcome`, and from a request to its answer. */
  answerMs: 15_000,
  /** How often the agent reconnects to a control plane with another protocol version. */
  mismatchRetryMs: 300_000,
  /** How long an agent whose credential is refused tries again before it ends. */
  refusedGiveUpMs: 900_000,
  /** How long name servers have to answer about a project's host names. */
  nameServerMs: 5_000,
  /** The port of a name server on 127.0.0.1 to ask instead of the system's. 0: the system's. */
  nameServerPort: 0,
  /** How long a part of an artifact may not move before it is tried again. */
  transferIdleMs: 60_000,
  backOffBaseMs: 500,
  backOffCapMs: 30_000,
  /** How often the agent checks the instances of all projects, and while some are draining. */
  appsCheckMs: 5_000,
  drainCheckMs: 1_000,
  /** The longest time between two checks of the schedules of cron jobs. One is made at the start of each minute too. */
  cronCheckMs: 60_000,
  /** How long each second is of the times at which watched branches are read. */
  watchSecondMs: 1_000,
  /** A replaced instance is stopped at the earliest after this time, because a request may be on its way to it. */
  leastDrainMs: 2_000,
  /** How long a new instance without a port must run before it counts as started. */
  settleMs: 1_000,
  /** When the log says of a new instance that it does not listen on its port yet. */
  silentInstanceMs: 10_000,
  /** How long an agent that is shutting down tries to report the runs that it stopped. */
  shutdownReportMs: 3_000,
};
export type AgentSettings = Readonly<typeof defaultSettings>;

/**
 * An environment variable with changed settings as JSON. For tests, which cannot wait as long as a network may take.
 */
export const CHANGED_SETTINGS = "GANTRY_AGENT_SETTINGS";

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
