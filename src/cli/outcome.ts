import type { Failed } from "#client/answer.ts";
import type { Success } from "#contract/lib/result.ts";
import type { Exit, OwnCode } from "#cli/exit-codes.ts";

/** How a command ended: with its exit, or with a problem that is told to the person and gives the exit. */
export type Outcome = { readonly ok: true; readonly exit: Exit } | Failed;

/** A value, or the problem that ends the command. */
export type Result<Value> = Success<Value> | Failed;

export const done: Outcome = { ok: true, exit: "done" };

const titles: Record<OwnCode, string> = {
  usage: "Wrong usage",
  not_signed_in: "Not signed in",
  no_project: "No project",
  no_deployment: "No deployment",
  ambiguous_name: "Ambiguous name",
  unreadable_file: "Unreadable file",
  unwritable_file: "Unwritable file",
  not_confirmed: "Not confirmed",
  interrupted: "Interrupted",
};

/** A problem of this side. @param detail a sentence that says what to do */
export function stop(code: OwnCode, detail: string): Failed {
  const problem = { type: "about:blank", title: titles[code], status: 0, detail, code, request_id: "" };
  return { ok: false, problem };
}

/** Something that was named is not there. */
export function missing(detail: string): Failed {
  const problem = { type: "about:blank", title: "Not found", status: 404, detail, request_id: "" };
  return { ok: false, problem: { ...problem, code: "not_found" } };
}
