import type { UpdateProcessInput } from "#contract/endpoints/processes/schemas.ts";

/** The settings of a process that people write, in the order in which they are shown. */
export const processFields = [
  "command",
  "instances",
  "port",
  "memory_mb",
  "cpu_weight",
  "tasks",
  "stop_signal",
  "stop_seconds",
  "overlap",
] as const satisfies readonly (keyof UpdateProcessInput)[];
export type ProcessField = (typeof processFields)[number];

/** How to read the text of a field. */
export const processFieldKinds = {
  command: "text",
  instances: "number",
  port: "flag",
  memory_mb: "number",
  cpu_weight: "number",
  tasks: "number",
  stop_signal: "text",
  stop_seconds: "number",
  overlap: "flag",
} as const satisfies Record<Exclude<keyof UpdateProcessInput, "emergency">, "text" | "number" | "flag">;
