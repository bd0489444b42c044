import { parseWith } from "#contract/endpoints/endpoint.ts";
import type { Failure } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";

/**
 * A call that came to nothing, and why. `retryAfterMs`: what the answer asks for. `unheard`: requests before this one
 * that had no answer, so that they may have been carried out.
 */
export type Failed = Failure<{
  readonly problem: Problem;
  readonly retryAfterMs?: number;
  readonly unheard?: number;
}>;

/** The problem that an answer is which is no success. */
export function problemIn(text: string, { status, headers }: Response, baseUrl: string): Failed {
  const problem = parseWith(Problem, parseJson(text));
  if (problem.success) return { ok: false, problem: problem.data };
  const location = headers.get("location");
  const detail =
    location === null
      ? `${baseUrl} answered ${status} without a problem.`
      : `${baseUrl} is not the installation's address: it points to ${location}.`;
  return failed("unexpected_answer", status, detail);
}

/**
 * Something has answered that does not speak as Gantry does, or as a newer one does.
 * @param what is wrong with it, as a sentence
 */
export function unexpected(status: number, baseUrl: string, what = "It may be of another version."): Failed {
  return failed("unexpected_answer", status, `The answer of ${baseUrl} is not what was expected. ${what}`);
}

/** Nothing has answered. */
export function unreachable(error: unknown, baseUrl: string): Failed {
  return failed("unreachable", 0, `${baseUrl} cannot be reached: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function failed(code: string, status: number, detail: string): Failed {
  const title = code === "unreachable" ? "Unreachable" : "Unexpected answer";
  return { ok: false, problem: { type: "about:blank", title, status, detail, code, request_id: "" } };
}
