import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import type { Problem, ProblemCode } from "#contract/problems.ts";

/** What the command's process ends with, and what that means: part of the interface, and never changed. */
export const exitCodes = {
  done: { code: 0, when: "The command succeeded. With --follow: the deployment is live." },
  failed: {
    code: 1,
    when: "The followed deployment is not live: it failed, was canceled or deleted, or a newer one replaced it.",
  },
  usage: { code: 2, when: "The command line or its input is invalid." },
  not_authorised: {
    code: 3,
    when: "No token, or the token is invalid, expired or revoked, or lacks a scope.",
  },
  refused: { code: 4, when: "The control plane refused the request, such as deleting the live deployment." },
  unreachable: {
    code: 5,
    when: "The control plane cannot be reached or cannot answer, and the time that `--wait` allows is over.",
  },
  interrupted: {
    code: 130,
    when: "The command was interrupted (Ctrl-C, SIGTERM) or not confirmed. A running deployment continues.",
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
