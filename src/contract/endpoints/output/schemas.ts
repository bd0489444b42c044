import * as z from "zod/mini";

import { textUpTo, wholeFrom } from "#contract/bounds.ts";
import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { InstanceName, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { ServerId } from "#contract/ids.ts";
import { queryInteger } from "#contract/paging.ts";

/** The most earlier lines that a reader gets. */
export const MAX_LAST_LINES = 1000;
export const DEFAULT_OUTPUT_LINES = 100;

/**
 * Limits the output to one process or one instance. `lines`: how many of the last lines come first. `ended`: reads
 * ended instances instead of running ones. `server_id`: one of the servers of the project; omitted: the first.
 */
export const OutputQuery = z.strictObject({
  process: z.optional(ProcessName),
  instance: z.optional(InstanceName),
  lines: z.optional(queryInteger(0, MAX_LAST_LINES)),
  ended: z.optional(z.enum(["true", "false"])),
  server_id: z.optional(ServerId),
});
export type OutputQuery = z.infer<typeof OutputQuery>;

/**
 * A line that an instance printed, without its line break. `time`: when it was printed, at most a second late. Missing
 * for a line that was printed while the agent did not run.
 */
export const AppOutputLine = z.strictObject({
  instance: InstanceName,
  message: textUpTo(MAX_LOG_LINE_BYTES),
  time: z.optional(textUpTo(30)),
});
export type AppOutputLine = z.infer<typeof AppOutputLine>;

/** The last lines that the instances of a project printed: instance by instance, each in order. */
export const AppOutput = z.strictObject({ lines: z.array(AppOutputLine) });
export type AppOutput = z.infer<typeof AppOutput>;

/** The name of the event that says that lines are missing here. All other events have no name, and an AppOutputLine as data. */
export const LEFT_OUT_EVENT = "left_out";

/** How many lines are missing, because the app prints faster than they are sent. Null: unknown, after a lost connection. */
export const OutputLeftOut = z.strictObject({ lines: z.nullable(wholeFrom(1)) });
export type OutputLeftOut = z.infer<typeof OutputLeftOut>;

/** A line with its place in the stream: numbers rise, and no two lines that a server sends have the same. */
export const FollowedLine = z.extend(AppOutputLine, { line: wholeFrom(0) });
export type FollowedLine = z.infer<typeof FollowedLine>;

/** Whether a line is of the process and the instance that a reader named. */
export function isWanted(
  { process, instance }: Pick<OutputQuery, "process" | "instance">,
  line: AppOutputLine,
): boolean {
  return (
    (instance === undefined || line.instance === instance) &&
    (process === undefined || line.instance.replace(/-\d+-\d+$/, "") === process)
  );
}
