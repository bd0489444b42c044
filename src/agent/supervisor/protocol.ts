import * as z from "zod/mini";

import { textUpTo, wholeFrom } from "#contract/bounds.ts";
import { supervisedShape } from "#contract/endpoints/processes/process-settings.ts";
import { InstanceName } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

// The messages between the agent and the supervisor. Their versions may differ: changes only add optional fields, and
// unknown fields are ignored.

/** A text that the kernel passes to a program. The program would see it only up to the first NUL. */
const text = (maxLength: number) =>
  textUpTo(maxLength).check(z.refine((value) => !value.includes("\0"), "must not contain NUL"));

/** Linux allows an argument or a variable of 128 KiB. */
const MAX_TEXT = 128 * 1024;

const VariableName = text(200).check(
  z.refine((name) => name !== "" && !name.includes("="), "must be a variable's name"),
);

/** The path of the requests about a project's instances. */
export function instancesPath(project: ProjectId): string {
  return `/projects/${project}/instances`;
}

/** The path of the requests about an instance. */
export function instancePath(project: ProjectId, name: string): string {
  return `${instancesPath(project)}/${encodeURIComponent(name)}`;
}

/** A command, within the limits of the kernel. */
export const InstanceCommand = z.object({
  argv: z.tuple([text(MAX_TEXT).check(z.minLength(1))], text(MAX_TEXT)),
  cwd: text(4096).check(z.startsWith("/", "must be an absolute path")),
  env: z.record(VariableName, text(MAX_TEXT)),
});

/** The body of a request to start an instance. */
export const InstanceBody = z.object({ command: InstanceCommand, ...supervisedShape });
export type InstanceBody = z.infer<typeof InstanceBody>;

export const InstanceExitBody = z.object({
  code: z.nullable(z.int()),
  signal: z.nullable(textUpTo(40)),
});
export type InstanceExitBody = z.infer<typeof InstanceExitBody>;

/** An instance as the supervisor lists it. See `SupervisedInstance`. */
export const InstanceView = z.object({
  project: ProjectId,
  name: InstanceName,
  state: z.enum(["running", "restarting", "stopping"]),
  started_at: z.nullable(wholeFrom(0)),
  restarts: wholeFrom(0),
  last_exit: z.nullable(InstanceExitBody),
  memory_bytes: z.nullable(wholeFrom(0)),
  cpu_ms: z.nullable(wholeFrom(0)),
  /** Whether the supervisor can start it again: an earlier supervisor started it, and nobody has sent its command since. */
  is_adopted: z.boolean(),
});
export type InstanceView = z.infer<typeof InstanceView>;

export const InstanceList = z.object({ instances: z.array(InstanceView) });
export const Listens = z.object({ listens: z.boolean() });
export const ControlError = z.object({ error: z.string() });

/** What a supervisor says about itself. `version`: of the agent that it is part of. */
export const About = z.object({ version: z.string() });

/** The commands of the instances that a supervisor leaves to the next one, with the paths to send them to. */
export const InstanceCommands = z.object({
  commands: z.array(z.object({ path: z.string(), body: InstanceBody })),
});
export type InstanceCommands = z.infer<typeof InstanceCommands>;
