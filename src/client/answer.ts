import type { Failure } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { Problem } from "#contract/problems.ts";
import { readProblem } from "#client/read-problem.ts";

/**
 * A failed call. `retryAfterMs`: the delay that the response asks for. `unanswered`: the number of earlier tries without a
 * response, which may have been carried out.
 */
export type Failed = Failure<{
  readonly problem: Problem;
  readonly retryAfterMs?: number;
  readonly unanswered?: number;
}>;

/** The problem in a response that is not a success. */
export function problemIn(text: string, { status, headers }: Response, baseUrl: string): Failed {
  const problem = readProblem(parseJson(text));
  if (problem !== null) return { ok: false, problem };
  const location = headers.get("location");
  const detail =
    location === null
      ? `${baseUrl} responded with ${status} and without a problem document.`
      : `${baseUrl} is not the installation's URL: it redirects to ${location}.`;
  return failed("unexpected_answer", status, detail);
}

/**
 * The problem of a response that this client does not understand: not from Gantry, or from another version of it.
 * @param reason a sentence
 */
export function unexpected(
  status: number,
  baseUrl: string,
  reason = "The server may be another version, or not Gantry.",
): Failed {
  return failed("unexpected_answer", status, `${baseUrl} sent an unexpected response. ${reason}`);
}

/** The problem of a request without a response. */
export function unreachable(error: unknown, baseUrl: string): Failed {
  return failed("unreachable", 0, `${baseUrl} cannot be reached: ${reasonOf(error)}.`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function failed(code: string, status: number, detail: string): Failed {
  const title = code === "unreachable" ? "Unreachable" : "Unexpected response";
  return { ok: false, problem: { type: "about:blank", title, status, detail, code, request_id: "" } };
}
