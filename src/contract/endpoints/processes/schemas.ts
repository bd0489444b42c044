import * as z from "zod/mini";

import { listUpTo, numberFrom, textLike, textUpTo, wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { EmergencyReason } from "#contract/endpoints/deployments/emergency.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { MAX_INSTANCES, ProcessFields } from "#contract/endpoints/processes/process-settings.ts";
import { ServerId } from "#contract/ids.ts";
import { nullableOf } from "#contract/lib/field-table.ts";
import { CommandSource } from "#contract/processes/command-source.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/** The most processes of a project. */
export const MAX_PROCESSES = 20;

/** The process that a project's domain leads to. */
export const WEB = "web";

/** The name of a process, such as `web` or `worker`. */
export const ProcessName = textLike(
  /^[a-z][a-z0-9_-]{0,29}$/,
  "must be a process's name: up to 30 lower-case letters, digits, hyphens and underscores, beginning with a letter",
);
export type ProcessName = z.infer<typeof ProcessName>;

/** A process that a repository defines. Omitted fields have their defaults. */
export const ProcessDefinition = z.extend(z.partial(ProcessFields), {
  command: ShellCommand,
});
export type ProcessDefinition = z.infer<typeof ProcessDefinition>;

/**
 * A project's own settings for a process, which take precedence over the repository's. `stopped`: it has no instances
 * until it is started again.
 */
export const ProcessSettings = z.partial(z.extend(ProcessFields, { stopped: z.boolean() }));
export type ProcessSettings = z.infer<typeof ProcessSettings>;

/** How long replaced instances may finish their requests before they are stopped. */
export const MAX_DRAIN_SECONDS = 600;
export const DrainSeconds = wholeBetween(0, MAX_DRAIN_SECONDS);
export const DEFAULT_DRAIN_SECONDS = 30;

/** Processes by their names. */
export const byName = <Value extends z.ZodMiniType>(value: Value) =>
  z
    .record(ProcessName, value)
    .check(
      z.refine(
        (processes) => Object.keys(processes).length <= MAX_PROCESSES,
        `must have at most ${MAX_PROCESSES} processes`,
      ),
    );

export const ProcessDefinitions = byName(ProcessDefinition);
export type ProcessDefinitions = z.infer<typeof ProcessDefinitions>;

export const AllProcessSettings = byName(ProcessSettings);
export type AllProcessSettings = z.infer<typeof AllProcessSettings>;

const changes = nullableOf(ProcessFields.shape);

/** The settings of one process to change. Omitted fields keep their values; null removes the project's own value. */
export const UpdateProcessInput = z.extend(z.partial(z.strictObject(changes)), {
  emergency: z.optional(EmergencyReason),
});
export type UpdateProcessInput = z.infer<typeof UpdateProcessInput>;

/** Changes of the settings of several processes, as in `UpdateProcessInput`. Null removes all settings of a process. */
export const ProcessChanges = byName(
  z.nullable(z.partial(z.strictObject({ ...changes, stopped: z.nullable(z.boolean()) }))),
);
export type ProcessChanges = z.infer<typeof ProcessChanges>;

/** The name of an instance, unique in its project: `<process>-<version>-<n>`, with the version of the deployment that started it. */
export const InstanceName = textLike(/^[a-z][a-z0-9_-]{0,29}-[1-9][0-9]{0,14}-[0-9]{1,2}$/);

/**
 * `starting`: it runs and has not passed its check. `live`: it gets requests, or a process without a port runs.
 * `draining`: it finishes its requests and ends. `restarting`: it ended by itself and is started again.
 * `crash_looping`: it ended five times within a minute, or failed five times within half an hour.
 */
export const InstanceState = z.enum(["starting", "live", "draining", "restarting", "crash_looping"]);
export type InstanceState = z.infer<typeof InstanceState>;

/** The maximum length of the last lines of an instance, in UTF-16 code units. */
export const MAX_LAST_OUTPUT = 4096;
export const MAX_LAST_EXIT = 100;
/** The most instances of a process in a report, with draining ones. */
export const MAX_REPORTED_INSTANCES = 4 * MAX_INSTANCES;

/** Why an instance is `crash_looping`: how often it ended within how many seconds, and how it ended last. */
export const CrashLoop = z.strictObject({
  ends: wholeFrom(1),
  seconds: wholeFrom(0),
  exit_code: z.nullable(wholeFrom(0)),
  signal: z.nullable(textUpTo(20)),
});
export type CrashLoop = z.infer<typeof CrashLoop>;

/**
 * An instance as the server sees it. `restarts`: how often it was started again after it ended by itself. `cpu_percent`:
 * of one core, since the previous request. `last_exit` and `last_output` say how and with which lines it ended last.
 * `crash_loop`: missing if it is not `crash_looping`.
 */
export const InstanceReport = z.strictObject({
  name: InstanceName,
  state: InstanceState,
  started_at: z.nullable(textUpTo(40)),
  restarts: wholeFrom(0),
  memory_bytes: z.nullable(wholeFrom(0)),
  cpu_percent: z.nullable(numberFrom(0)),
  last_exit: z.nullable(textUpTo(MAX_LAST_EXIT)),
  last_output: z.nullable(textUpTo(MAX_LAST_OUTPUT)),
  crash_loop: z.optional(CrashLoop),
});
export type InstanceReport = z.infer<typeof InstanceReport>;

/** A process as the server runs it. `wanted`: how many instances there should be. */
export const ProcessReport = z.strictObject({
  name: ProcessName,
  command: ShellCommand,
  port: z.boolean(),
  wanted: wholeBetween(0, MAX_INSTANCES),
  stopped: z.boolean(),
  instances: listUpTo(InstanceReport, MAX_REPORTED_INSTANCES),
});
export type ProcessReport = z.infer<typeof ProcessReport>;
export const ProcessReports = listUpTo(ProcessReport, MAX_PROCESSES);

/** Where the command of a process is from: the project's settings, or what the repository or its framework defines. */
export const ProcessSource = z.enum(["project", ...CommandSource.options]);
export type ProcessSource = z.infer<typeof ProcessSource>;

/** `server_id`: one of the servers of the project; omitted: the first. */
export const ProcessesQuery = z.strictObject({ server_id: z.optional(ServerId) });
export type ProcessesQuery = z.infer<typeof ProcessesQuery>;

/**
 * The processes of a project. `checked_at`: when the server reported them; null if it never did. `ingress_problem`: of the
 * last report. `sources`: where the command of each process is from, as far as it is known.
 */
export const Processes = z.strictObject({
  processes: z.array(ProcessReport),
  checked_at: z.nullable(z.string()),
  ingress_problem: z.nullable(z.string()),
  sources: byName(ProcessSource),
});
export type Processes = z.infer<typeof Processes>;

/**
 * The state of what runs, from the server's last report. `restarting`: an instance ended by itself and is started again.
 * `crash_looping`: one ended five times within a minute, or failed five times within half an hour.
 */
export const ProcessesState = z.enum(["running", "restarting", "crash_looping"]);
export type ProcessesState = z.infer<typeof ProcessesState>;

/** A process after a change. `process`: the project's own settings. `deployment`: puts them into effect; null: nothing is live. */
export const ProcessUpdated = z.strictObject({
  process: z.extend(ProcessSettings, { name: ProcessName }),
  deployment: z.nullable(DeploymentStarted),
});
export type ProcessUpdated = z.infer<typeof ProcessUpdated>;
