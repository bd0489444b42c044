import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import type { Problem, ProblemCode } from "#contract/problems.ts";

/** What the command's process ends with, and what that means: part of the interface, and never changed. */
export const exitCodes = {
  done: { code: 0, when: "What was asked for is done. While following: the deployment is live." },
  failed: {
    code: 1,
    when: "The deployment that was followed is not live: it failed, was canceled or deleted, or a newer one has taken its place.",
  },
  usage: { code: 2, when: "The command line, or what the command was given with it, is not right." },
  not_authorised: { code: 3, when: "There is no token, it does not count (any more), or it lacks a scope." },
  refused: { code: 4, when: "The control plane understood and refused, such as to delete what is live." },
  unreachable: {
    code: 5,
    when: "The control plane cannot be reached, or cannot answer for now, for as long as `--wait` says.",
  },
  interrupted: {
    code: 130,
    when: "Somebody ended the command (Ctrl-C, SIGTERM) or said no to its question. A deployment goes on.",
  },
} as const satisfies Record<string, { code: number; when: string }>;

export type Exit = keyof typeof exitCodes;

/** What went wrong on this side, told in the same form as a problem of the control plane. */
const ownCodes = [
  "usage",
  "not_signed_in",
  "no_project",
  "no_deployment",
  "ambiguous_name",
  "unreadable_file",
  "unwritable_file",
  "not_confirmed",
  "interrupted",
] as const;
export type OwnCode = (typeof ownCodes)[number];

/** Those of src/client. */
type ClientCode = "unreachable" | "unexpected_answer";
type AnyCode = ProblemCode | ClientCode | OwnCode;

/** What the process ends with after a problem. */
export function exitOf({ code, status }: Problem): Exit {
  return isKnownCode(code) ? exitOfCode(code) : exitOfStatus(status);
}

function isKnownCode(code: string): code is AnyCode {
  return (
    isProblemCode(code) ||
    code === "unreachable" ||
    code === "unexpected_answer" ||
    ownCodes.some((own) => own === code)
  );
}

function exitOfCode(code: AnyCode): Exit {
  switch (code) {
    case "usage":
    case "no_project":
    case "no_deployment":
    case "ambiguous_name":
    case "unreadable_file":
    case "unwritable_file":
    case "not_confirmed":
      return "usage";
    case "not_signed_in":
    case "missing_token":
    case "invalid_token":
    case "insufficient_scope":
    case "https_required":
      return "not_authorised";
    case "not_found":
    case "already_live":
    case "deployment_activating":
    case "deployment_live":
    case "domain_taken":
    case "name_taken":
    case "no_rollback_target":
    case "not_cancelable":
    case "queue_full":
    case "too_many":
    case "last_token":
    case "project_busy":
    case "server_in_use":
    case "log_expired":
    case "live_changed":
    case "invalid_request":
    case "idempotency_mismatch":
    case "body_too_large":
    case "malformed_json":
    case "method_not_allowed":
    case "unsupported_media_type":
    case "protocol_mismatch":
    case "upgrade_required":
      return "refused";
    case "unreachable":
    case "unexpected_answer":
    case "rate_limited":
    case "internal":
    case "unavailable":
      return "unreachable";
    case "interrupted":
      return "interrupted";
  }
}

/** For the codes of a control plane that is newer than this command. */
function exitOfStatus(status: number): Exit {
  if (status === 401 || status === 403) return "not_authorised";
  return status >= 400 && status < 500 && status !== 429 ? "refused" : "unreachable";
}
