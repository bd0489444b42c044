import type { AgentContext } from "#agent/context/context.ts";
import { endpointUrl, isProblem, retryAfterMs } from "#agent/lib/http/control-plane.ts";
import { sendRequest } from "#agent/lib/http/send-request.ts";
import { type RunEvent, RunEventsAnswer } from "#contract/agent-events.ts";
import type { ActiveRun } from "#contract/agent-protocol.ts";
import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { wellFormedJson } from "#contract/well-formed.ts";

/**
 * `gone`: the control plane no longer knows the run. `refused`: it will never accept these events. Both need the
 * control plane's own answer: an answer of a proxy or a firewall says nothing about the run and is `unreachable`.
 */
export type PostEnd =
  | { readonly kind: "answered"; readonly answer: RunEventsAnswer }
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string; readonly retryAfterMs: number };

/** Sends events of a run to the control plane, with one try. Never throws. */
export async function postEvents(
  { connection, proxy }: Pick<AgentContext, "connection" | "proxy">,
  run: ActiveRun,
  events: readonly RunEvent[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PostEnd> {
  const answer = await sendRequest({
    url: endpointUrl(connection.url, agentEndpoints.reportRunEvents.path, {
      deployment_id: run.deployment_id,
    }),
    method: "POST",
    proxy,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${connection.credential}`,
    },
    body: wellFormedJson({ project_id: run.project_id, run_id: run.run_id, events }),
    timeoutMs,
    maxBodyBytes: 64 * 1024,
    signal,
  });
  if (answer.kind !== "answered") {
    const reason = answer.kind === "failed" ? answer.reason : "no answer in time";
    return { kind: "unreachable", reason, retryAfterMs: 0 };
  }
  const { status } = answer;
  if (status === 200) {
    const parsed = parseAnswer(answer.body);
    if (parsed !== null) return { kind: "answered", answer: parsed };
    return { kind: "unreachable", reason: "its answer is not valid", retryAfterMs: 0 };
  }
  const isOwnAnswer = isProblem(answer.body);
  if (isOwnAnswer && (status === 404 || status === 410)) return { kind: "gone" };
  // A refused credential ends the link and then the agent; until then, the events are kept.
  if (!isOwnAnswer || status >= 500 || [401, 408, 425, 429].includes(status))
    return {
      kind: "unreachable",
      reason: `it answered ${status}`,
      retryAfterMs: retryAfterMs(answer.headers["retry-after"]),
    };
  return { kind: "refused", reason: `it answered ${status}: ${answer.body.slice(0, 500)}` };
}

function parseAnswer(body: string): RunEventsAnswer | null {
  const parsed = parseKnown(RunEventsAnswer, parseJson(body));
  return parsed.success ? parsed.data : null;
}
