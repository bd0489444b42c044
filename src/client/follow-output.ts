import type { EventSourceMessage } from "eventsource-parser";

import { outputEndpoints } from "#contract/endpoints/output/endpoints.ts";
import {
  AppOutputLine,
  LEFT_OUT_EVENT,
  OutputLeftOut,
  type OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { type Followed, followStream } from "#client/follow-stream.ts";
import type { Transport } from "#client/request.ts";

/** `left_out`: that many lines are missing here; null: unknown. */
export type OutputItem =
  | { readonly type: "line"; readonly line: AppOutputLine }
  | { readonly type: "left_out"; readonly lines: number | null };

export type FollowOutputOptions = {
  readonly query: OutputQuery;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
};

/**
 * Follows the output of a project's instances: the last lines, then each new line. After a lost connection, and while a
 * server that was online is offline, it connects again and continues after the last line, until `signal` is aborted or
 * the loop is left. It never throws.
 */
export function followOutput(
  transport: Transport,
  projectId: ProjectId,
  { query, signal }: FollowOutputOptions,
): AsyncGenerator<Followed<OutputItem>> {
  return followStream(transport, {
    endpoint: outputEndpoints.getOutput,
    request: { params: { project_id: projectId }, query },
    lastId: null,
    read: itemOf,
    mayPass: ({ code }) => code === "server_offline",
    signal,
  });
}

/** @returns null for an event of a newer control plane */
function itemOf({ event, data }: EventSourceMessage): OutputItem | null {
  if (event === LEFT_OUT_EVENT) {
    const leftOut = parseKnown(OutputLeftOut, parseJson(data));
    return leftOut.success ? { type: "left_out", lines: leftOut.data.lines } : null;
  }
  const line = event === undefined || event === "message" ? parseKnown(AppOutputLine, parseJson(data)) : null;
  return line?.success === true ? { type: "line", line: line.data } : null;
}
