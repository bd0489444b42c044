import type { Result } from "#contract/problems.ts";
import { unavailable } from "#worker/operations/repositories/ask-agent.ts";

/** The refusals of a request about a one-off command or a run of a cron job that starts nothing. */
export type ReadRefusal = "agent_outdated" | "not_found" | "server_offline" | "unavailable";
export type StartRefusal = ReadRefusal | "not_live" | "refused_by_policy" | "secrets_not_sealed" | "too_many";

/** The result of a request that starts nothing, for which an agent has no reason to refuse a start. */
export function withoutStart<Value>(read: Result<Value, StartRefusal>): Result<Value, ReadRefusal> {
  if (read.ok) return read;
  const { code, detail } = read.refusal;
  switch (code) {
    case "not_live":
    case "refused_by_policy":
    case "secrets_not_sealed":
    case "too_many":
      return unavailable(detail);
    case "agent_outdated":
    case "not_found":
    case "server_offline":
    case "unavailable":
      return { ok: false, refusal: { ...read.refusal, code } };
  }
}
