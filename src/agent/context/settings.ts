import * as z from "zod/mini";

import { PING_INTERVAL_MS } from "#contract/agent-protocol.ts";

/** Every span and size that the agent goes by and no project sets. Milliseconds and bytes. */
export type AgentSettings = {
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** How long output is still read after a command has ended while something else can write it. */
  readonly outputGraceMs: number;
  /** How often a file that a command writes to is looked at besides the system's notifications. */
  readonly pollOutputMs: number;
  /** The longest that such a file may become, and how often those that nobody follows are checked. */
  readonly maxOutputFileBytes: number;
  readonly outputCheckMs: number;
  /** How long a line may stay unfinished before it is shown as far as it goes. */
  readonly partialLineMs: number;
  /** How long an event may wait for others to ride along with. */
  readonly flushMs: number;
  readonly maxBatchBytes: number;
  /** How long events that the control plane has not stored may be in memory only. */
  readonly spillMs: number;
  /** How many of them may be; more go to the spool, however young they are. */
  readonly spillBytes: number;
  /** The longest that a run's spool may become; a whole log fits in. */
  readonly maxSpoolBytes: number;
  /** Above this much in memory, because the spool takes no more, the commands' pipes are paused. */
  readonly maxMemoryBytes: number;
  /** How many requests of all runs may leave at once, and how many a second after that. */
  readonly requestBurst: number;
  readonly requestsPerSecond: number;
  /** The longest silence of a run towards the control plane. */
  readonly signOfLifeMs: number;
  /** How often a run that waits for the permit asks whether it is there. */
  readonly permitPollMs: number;
  readonly statusMs: number;
  readonly pingMs: number;
  readonly missedPongs: number;
  /** From the link's opening to `welcome`, and from a request to its answer. */
  readonly answerMs: number;
  /** How often an agent looks whether the control plane speaks its protocol by now. */
  readonly mismatchRetryMs: number;
  /** For how long an agent whose credential is refused tries again before it ends. */
  readonly refusedGiveUpMs: number;
  readonly backOffBaseMs: number;
  readonly backOffCapMs: number;
  /** How long the agent, told to end, tries to report what it stopped. */
  readonly farewellMs: number;
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
  farewellMs: 3_000,
};

/** Names and new values of some settings, as JSON. For tests, which cannot wait for as long as a network may take. */
const CHANGED_SETTINGS = "GANTRY_AGENT_SETTINGS";

const Changes = z.record(
  z.string().check(z.refine((name) => name in defaultSettings, "is no setting")),
  z.number(),
);

/** @throws where the variable is there and is not an object of numbers: a setting that is overlooked would be found late */
export function readSettings(environment: NodeJS.ProcessEnv): AgentSettings {
  const text = environment[CHANGED_SETTINGS];
  if (text === undefined) return defaultSettings;
  const changed = Changes.parse(JSON.parse(text));
  return { ...defaultSettings, ...changed };
}
