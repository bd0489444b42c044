import type { ProblemCode } from "#contract/problems.ts";

/** How to fix each problem. A problem without a remedy does not compile. */
export const problemRemedies: Readonly<Record<ProblemCode, string>> = {
  malformed_json: "Send a JSON object in UTF-8. An empty body is the same as `{}`.",
  invalid_identity_token:
    "Compare the claims of the job with the trust rule: `gantry trust test` says which claim is in the way. Ask the CI system for the token with the address of the installation as its audience, and for a new one for each exchange.",
  missing_token: "Send the header `Authorization: Bearer <token>`.",
  invalid_token:
    "Check the token for typing errors: an API token is `gantry_` followed by 36 letters and digits. If it is correct, it has expired or was revoked: create another one. For an agent, create a new enrolment token and enrol the agent again.",
  invalid_passkey:
    "Ask for a new challenge, and answer it on the page of the installation with a passkey that is registered there.",
  person_required: "Sign in to the dashboard as a member. If it is about owners, as an owner.",
  reauthentication_required:
    "Confirm the session: `POST /v1/session/challenge` with the act `confirm`, then `POST /v1/session/confirm`. The dashboard asks for the passkey by itself.",
  sign_in_refused:
    "Start the sign-in again. If you are not a member yet, ask an owner for an invitation. An owner can test the connection on the page *Sign-in settings*.",
  sso_required: "Sign in by the provider of your account. If it does not work, ask an owner.",
  provider_unreachable:
    "Try again shortly. An owner can sign in with a passkey, and test the connection on the page *Sign-in settings*.",
  email_taken: "Use another address, or find the member with this address in `GET /v1/members`.",
  host_name_required:
    "Open the installation by its host name. On your own computer: `http://localhost` with the port.",
  last_owner: "Make another member an owner first.",
  last_passkey: "Add another passkey first.",
  sign_in_pending:
    "Send the request again after two seconds, at most for 10 minutes. Then start the sign-in again.",
  owner_exists: "Ask an owner for an invitation.",
  invalid_signature:
    "Copy the secret of the hook into the settings of the webhook at the git host. If the secret is lost, rotate it with `POST /v1/hooks/{hook_id}/rotate`. Then send a test delivery from there: some hosts disable a webhook that was refused.",
  insufficient_scope:
    "Use a token with the scope in the `WWW-Authenticate` header. If `detail` mentions projects, use a token without a project limit. To create a token, use a token with at least the same permissions.",
  own_deployment: "Ask somebody else to approve the deployment.",
  https_required:
    "Send the request to the `https://` address. If you sent a token over plain HTTP, revoke it, because others may have read it. A proxy that terminates TLS must send `X-Forwarded-Proto: https`.",
  not_found:
    "Check the path, and compare the id with the list of these objects. A token that is limited to projects cannot access other projects.",
  method_not_allowed: "Use one of the methods in the `Allow` header.",
  already_live:
    "No rollback is necessary. To deploy the same commit again, start a deployment of that commit.",
  deployment_activating: "Wait a few seconds until the deployment has ended, then delete it.",
  deployment_live:
    "Deploy or roll back to another version first. This deployment is then superseded and can be deleted.",
  domain_taken: "Choose another domain, or change the domain of the project that uses it.",
  hook_exists:
    "Use the existing hook: one is enough for all projects of a repository. If its secret is lost, rotate it. If it is for another kind of git host, delete it first.",
  name_taken: "Choose another name, or use the existing object: the list shows it.",
  no_seal_key:
    "Enrol the server's agent, or run this installation's `/install.sh` on the server to update it. When the agent has connected, send the request again. Without an agent, use a deploy key or an address without a password.",
  no_rollback_target:
    "Choose a target from `GET /v1/projects/{project_id}/rollback-targets`. To deploy any other code again, start a deployment of its commit.",
  not_live: "Deploy the project first.",
  no_ingress:
    "Run this installation's `/install.sh` with `--ingress` on the server, and deploy the project again.",
  refused_by_policy:
    "Ask the administrator of the server to allow it in the server's policy file. The rule is in `detail`.",
  commit_unknown:
    "Check that the server's agent is connected, and approve the deployment when `commit_sha` shows its commit.",
  commit_changed: "Read the deployment, review its `commit_sha`, and approve that commit.",
  hold_changed:
    "Read the deployment. If its first servers have switched, look at them, and send the `until` of its `waiting_on` as `until`.",
  artifact_not_allowed:
    "Set the project's `artifact_uploads` to `true`, if everybody who can deploy may choose what runs, or deploy a commit.",
  artifact_incomplete: "Upload the missing part, and start the deployment again.",
  artifact_quota:
    "Start the deployments of complete uploads, and cancel deployments that wait with a build and are not needed. Parts that no deployment names are deleted after a day.",
  artifact_unreadable:
    "Read the seal keys of the project's servers again (`GET /v1/projects/{project_id}/variables`), seal the key of the build for each of them, and start the deployment again.",
  not_approvable: "No approval is necessary. `waiting_on` of the deployment shows what it waits for.",
  not_cancelable:
    "The deployment can no longer be canceled. If it went live, roll back with `POST /v1/rollback`.",
  not_replayable: "Fix the cause, and send the delivery again from the git host.",
  queue_full:
    "Cancel queued deployments, or set the project's `queue` to `latest`, so that a new deployment replaces the queued ones.",
  too_many: "Delete objects or variables that you no longer use.",
  last_token: "First create and test another token with `tokens:write` and without a project limit.",
  project_busy: "Wait until the deployment has ended, or cancel it.",
  revision_conflict:
    "Read the variables again, seal the secrets for the new revision, and send the request again.",
  secrets_not_sealed:
    "Enter the named secrets again, with `PATCH /v1/projects/{project_id}/variables`, or remove them. A client that seals by itself must read `servers` of the variables again first, and seal for all their keys.",
  webhook_disabled:
    "Enable the webhook with `PATCH /v1/webhooks/{webhook_id}` and `enabled: true`, then resend.",
  server_in_use:
    "Choose other servers for the projects with `PATCH /v1/projects/{project_id}` (`servers`, `build_on`, `entry`) and deploy them, or delete them. Then delete the server.",
  protocol_mismatch:
    "Run this installation's `/install.sh` on the server to install the matching agent. The token has not been used and still works.",
  server_offline:
    "Start the agent on the server: `gantry-agent status` shows why it is not connected. Then send the request again.",
  containers_missing:
    "Run this installation's `/install.sh` with `--with-containers` on the server, or choose another server for the project. Then send the request again.",
  agent_outdated:
    "Run this installation's `/install.sh` on the server to update the agent. Then send the request again.",
  log_expired:
    "The log cannot be restored. To keep future logs longer, raise `log_retention_days` with `PATCH /v1/account`.",
  live_changed:
    "Another deployment went live. Check which one, and send the request again with its id in `If-Live`, or without `If-Live`.",
  body_too_large: "Send a smaller body, and check that you sent the right file.",
  unsupported_media_type: "Send the header `Content-Type: application/json`, and no `Content-Encoding`.",
  invalid_request: "Correct the fields in `errors`, and send the request again.",
  idempotency_mismatch:
    "Use a new key for each new request. A retry must have the same body as the first request.",
  rate_limited: "Wait for the number of seconds in the `Retry-After` header. Spread requests more evenly.",
  too_many_followers:
    "Close streams that nobody reads, or read the same data page by page as JSON. Try again after the number of seconds in the `Retry-After` header.",
  upgrade_required: "Connect to the path with a WebSocket client.",
  internal:
    "Try again. If the error persists, send the request id to the administrator of this installation.",
  unavailable: "Try again after the number of seconds in the `Retry-After` header.",
};
