import * as z from "zod/mini";

import { wholeBetween } from "#contract/bounds.ts";
import { type FieldWith, fieldsWith, initialOf, withInitial } from "#contract/lib/field-table.ts";
import { pick } from "#contract/lib/pick.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/** The most instances of one process. */
export const MAX_INSTANCES = 12;

export const StopSignal = z.enum(["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2"]);
export type StopSignal = z.infer<typeof StopSignal>;

/** `private`: a container has a network of its own. `host`: it has the network of the server. */
export const ContainerNetwork = z.enum(["private", "host"]);
export type ContainerNetwork = z.infer<typeof ContainerNetwork>;

/** How long an instance may take to end after its stop signal. */
export const MAX_STOP_SECONDS = 600;

/**
 * How a process runs. `port`: each instance listens on the port that it gets as PORT. `overlap`: at a deployment, old
 * and new instances of a process without a port run at the same time for a moment; otherwise the old ones end first.
 * `memory_mb`, `cpu_weight` and `tasks` are for each instance, as the project's `limits` are for a command. `container_port`
 * and `network` are for processes in containers: the port on which the container listens, and its network.
 */
export const ProcessFields = z.strictObject({
  command: ShellCommand,
  instances: wholeBetween(0, MAX_INSTANCES),
  port: z.boolean(),
  memory_mb: wholeBetween(32, 4_194_304),
  cpu_weight: wholeBetween(1, 10_000),
  tasks: wholeBetween(16, 1_000_000),
  stop_signal: StopSignal,
  stop_seconds: wholeBetween(0, MAX_STOP_SECONDS),
  overlap: z.boolean(),
  container_port: wholeBetween(1, 65_535),
  network: ContainerNetwork,
});
export type ProcessFields = z.infer<typeof ProcessFields>;
export type ProcessField = keyof ProcessFields;

/** What Gantry does with a setting of a process. */
type ProcessUse<Name extends ProcessField> = {
  /** Its value if neither the project nor the repository sets it. */
  readonly initial?: ProcessFields[Name];
  /** How it is written as text. */
  readonly kind: "text" | "number" | "flag";
  /**
   * What it belongs to in a rollback. `code`: it goes back with the code. `live`: it stays as it is. `scale`: the same, and
   * a change of it alone is not held.
   */
  readonly belongs: "code" | "live" | "scale";
  /**
   * Who needs it. `agent`: the agent alone, to start and end instances. `instance`: it makes an instance what it is, so
   * a change replaces running instances. `supervisor`: the same, and supervisors get it with each instance, under its
   * name.
   */
  readonly for: "agent" | "instance" | "supervisor";
};

/** Each setting of a process, with its uses, in the order in which they are shown. */
export const processUses = {
  command: { kind: "text", belongs: "code", for: "instance" },
  instances: { kind: "number", belongs: "scale", for: "agent", initial: 1 },
  // Only `web` has a port if nothing else is set.
  port: { kind: "flag", belongs: "code", for: "instance" },
  memory_mb: { kind: "number", belongs: "live", for: "instance" },
  cpu_weight: { kind: "number", belongs: "live", for: "instance" },
  tasks: { kind: "number", belongs: "live", for: "instance" },
  stop_signal: { kind: "text", belongs: "code", for: "supervisor", initial: "SIGTERM" },
  stop_seconds: { kind: "number", belongs: "code", for: "supervisor", initial: 10 },
  overlap: { kind: "flag", belongs: "code", for: "agent", initial: true },
  // Without it, the image decides.
  container_port: { kind: "number", belongs: "code", for: "instance" },
  network: { kind: "text", belongs: "code", for: "instance", initial: "private" },
} as const satisfies { readonly [Name in ProcessField]: ProcessUse<Name> };

type Uses = typeof processUses;

/** The names of all settings, in the order of the table. */
export const processFields = fieldsWith(processUses, "kind", "text", "number", "flag");

/** The values that a setting has if nobody sets it. */
export const initialProcess = initialOf<ProcessFields, Uses>(processUses);

/** The settings that make an instance what it is. */
export const instanceFields = fieldsWith(processUses, "for", "instance", "supervisor");

/** The settings that supervisors get. */
const supervisedFields = fieldsWith(processUses, "for", "supervisor");
export type SupervisedSettings = Pick<ProcessFields, FieldWith<Uses, "for", "supervisor">>;
/** Their schemas. A supervisor or agent from before there was a setting leaves it out: it then has its initial value. */
export const supervisedShape = withInitial(pick(ProcessFields.shape, supervisedFields), initialProcess);

/** The settings that supervisors get, of these. */
export function supervisedOf(settings: SupervisedSettings): SupervisedSettings {
  return pick(settings, supervisedFields);
}
