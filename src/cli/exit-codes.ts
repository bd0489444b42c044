import type { Problem } from "#contract/problems.ts";

/** The exit codes of the command. They are part of its interface and never change. */
export const exitCodes = {
  done: { code: 0, when: "The command succeeded. With --follow: the deployment is live." },
  failed: {
    code: 1,
    when: "The followed deployment is not live: it failed, was canceled or deleted, or a newer one replaced it. Or a repository test or a build on this machine failed, or the git host did not take a hook, or the target of a webhook refused a test, or no trust rule gives a token for the tested identity token, or the server has not applied a change of the maintenance or of its draining.",
  },
  usage: {
    code: 2,
    when: "The command line or its input is invalid. For gantry config plan: something would change. Its other errors have the code 1.",
  },
  not_authorised: {
    code: 3,
    when: "No token, or the token is invalid, expired or revoked, or lacks a scope. Or no trust rule trusts the CI job.",
  },
  refused: { code: 4, when: "The control plane refused the request, such as deleting the live deployment." },
  unreachable: {
    code: 5,
    when: "The control plane could not be reached, or could not answer, within the time of --wait.",
  },
  held: {
    code: 6,
    when: "The deployment that --follow has started waits for an approval or for the end of a freeze. The deployment runs when it is approved or the freeze ends.",
  },
  interrupted: {
    code: 130,
    when: "The command was interrupted (Ctrl-C, SIGTERM), or you did not answer yes. A running deployment continues.",
  },
} as const satisfies Record<string, { code: number; when: string }>;

export type Exit = keyof typeof exitCodes;

/** The problems that the command itself finds. */
export const ownProblems = {
  usage: { title: "Invalid usage", exit: "usage" },
  not_signed_in: { title: "Not signed in", exit: "not_authorised" },
  no_project: { title: "No project", exit: "usage" },
  no_deployment: { title: "No deployment", exit: "usage" },
  ambiguous_name: { title: "Ambiguous name", exit: "usage" },
  unreadable_file: { title: "Unreadable file", exit: "usage" },
  invalid_file: { title: "Invalid file", exit: "usage" },
  changed_since_plan: { title: "Changed since the plan", exit: "refused" },
  unwritable_file: { title: "Unwritable file", exit: "usage" },
  untrusted_seal_key: { title: "Untrusted seal key", exit: "usage" },
  not_connected: { title: "Not connected", exit: "failed" },
  not_confirmed: { title: "Not confirmed", exit: "usage" },
  not_verified: { title: "Not verified", exit: "refused" },
  commit_unknown: { title: "Commit unknown", exit: "refused" },
  interrupted: { title: "Interrupted", exit: "interrupted" },
} as const satisfies Record<string, { title: string; exit: Exit }>;
export type OwnCode = keyof typeof ownProblems;

/** The code that src/client gives to a response that is not Gantry's. Its status can be any. */
const UNEXPECTED_ANSWER = "unexpected_answer";

/** The exit after a problem. For problems of the control plane it follows from the status. */
export function exitOf({ code, status }: Problem): Exit {
  if (isOwnCode(code)) return ownProblems[code].exit;
  if (code === UNEXPECTED_ANSWER) return "unreachable";
  if (status === 401 || status === 403 || code === "invalid_identity_token") return "not_authorised";
  return status >= 400 && status < 500 && status !== 429 ? "refused" : "unreachable";
}

function isOwnCode(code: string): code is OwnCode {
  return Object.hasOwn(ownProblems, code);
}
