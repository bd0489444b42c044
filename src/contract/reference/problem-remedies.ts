import type { ProblemCode } from "#contract/problems.ts";

/** What to do about each problem: one without a remedy does not compile. */
export const problemRemedies: Readonly<Record<ProblemCode, string>> = {
  malformed_json: "Send a JSON object in UTF-8. No body at all is the same as `{}`.",
  missing_token: "Send the header `Authorization: Bearer <token>`.",
  invalid_token:
    "Look for a typing mistake: a token is `gantry_` and 36 letters and digits. If it is right, it has ended or was revoked; ask for another one. An agent is enrolled again with a new enrolment token.",
  insufficient_scope:
    "Use a token with the scope that the header `WWW-Authenticate` names, and without a limit to projects where `detail` speaks of one. To make a token, use one that may do at least as much.",
  https_required:
    "Use the address with `https://`. Revoke a token that was sent without it, because others may have read it. A proxy that ends TLS must send `X-Forwarded-Proto: https`.",
  not_found:
    "Compare the path and the id with what a list shows. A token that is limited to some projects sees no others.",
  method_not_allowed: "Use one of the methods that the header `Allow` names.",
  already_live: "Nothing needs to be done. To deploy the same commit again, start a deployment of it.",
  deployment_activating: "Wait a few seconds, until the deployment has ended, and delete it then.",
  deployment_live:
    "Deploy something else or roll back first; then this one is superseded and can be deleted.",
  domain_taken: "Choose another domain, or take it away from the project that has it.",
  name_taken: "Choose another name, or use the one that is there: the list shows it.",
  no_rollback_target:
    "Look at `GET /v1/projects/{project_id}/rollback-targets`. What is not in it can be deployed again by its commit.",
  not_cancelable: "Nothing can be canceled any more. If it went live, go back with `POST /v1/rollback`.",
  queue_full:
    "Cancel some of those that wait, or set the project's `queue` to `latest`, so that a new start takes their place.",
  too_many: "Delete what is no longer used.",
  last_token: "Make another token with `tokens:write` and without a limit to projects first, and try it.",
  project_busy: "Wait for the deployment to end, or cancel it.",
  server_in_use:
    "Move the projects to another server, or delete them. The projects list shows which they are.",
  protocol_mismatch:
    "Run this installation's `/install.sh` on the server: it installs the agent that fits. The token has not been used.",
  log_expired:
    "The log cannot be had any more. How long logs are kept from now on is `log_retention_days` of `PATCH /v1/account`.",
  live_changed:
    "Somebody else has deployed. Look at what is live now, and send the request again with its id, or without `If-Live`.",
  body_too_large: "Send less. A body that is far too large for what it says is often the wrong file.",
  unsupported_media_type: "Send `Content-Type: application/json`.",
  invalid_request: "Mend the fields that `errors` points to. Nothing has been done.",
  idempotency_mismatch: "Use a new key for a new request. A retry must have the same body as the first try.",
  rate_limited: "Wait as many seconds as `Retry-After` says, and spread requests more evenly.",
  upgrade_required: "Ask for the path with a WebSocket client.",
  internal: "Try again. If it stays, give the request id to whoever runs this Gantry.",
  unavailable: "Try again after as many seconds as `Retry-After` says.",
};
