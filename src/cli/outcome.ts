import type { Failed } from "#client/answer.ts";
import type { Success } from "#contract/lib/result.ts";
import { type Exit, type OwnCode, ownProblems } from "#cli/exit-codes.ts";

/**
 * How a command ended: with an exit, or with a problem that is printed and determines the exit. A number is the exit code
 * of a command that ran on a server.
 */
export type Outcome = { readonly ok: true; readonly exit: Exit | number } | Failed;

/** A value, or the problem that ends the command. */
export type Result<Value> = Success<Value> | Failed;

export const done: Outcome = { ok: true, exit: "done" };

/** A problem found by the command itself. @param detail a sentence that says what to do */
export function stop(code: OwnCode, detail: string): Failed {
  const { title } = ownProblems[code];
  const problem = { type: "about:blank", title, status: 0, detail, code, request_id: "" };
  return { ok: false, problem };
}

/** A 404 problem for a name that does not exist. @param detail a sentence */
export function missing(detail: string): Failed {
  const problem = { type: "about:blank", title: "Not found", status: 404, detail, request_id: "" };
  return { ok: false, problem: { ...problem, code: "not_found" } };
}
