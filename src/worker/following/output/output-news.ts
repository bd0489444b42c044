import * as z from "zod/mini";

import { wholeFrom } from "#contract/bounds.ts";
import { FollowedLine } from "#contract/endpoints/output/schemas.ts";
import { InstanceName, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

// What an AgentLink and the Worker's end of a reader's WebSocket send each other. The Worker sends only pings, which the
// runtime answers without waking the object.

/** The path at which the Worker connects a reader. An agent's own upgrade has another path. */
export const OUTPUT_PATH = "/output";
/** The header that has an OutputRequest in JSON. */
export const OUTPUT_HEADER = "x-gantry-output";

/** A reader of a project's output. `after`: the last line that it has; null: it wants the last `lines` lines first. */
export const OutputRequest = z.strictObject({
  projectId: ProjectId,
  process: z.optional(ProcessName),
  instance: z.optional(InstanceName),
  lines: z.int(),
  after: z.nullable(wholeFrom(0)),
});
export type OutputRequest = z.infer<typeof OutputRequest>;

/** Lines for a reader. `leftOut`: how many are missing before them; null: unknown. */
export const OutputNews = z.strictObject({
  lines: z.array(FollowedLine),
  leftOut: z.nullable(wholeFrom(0)),
});
export type OutputNews = z.infer<typeof OutputNews>;
