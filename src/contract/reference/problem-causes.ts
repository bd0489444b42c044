import type { ProblemCode } from "#contract/problems.ts";

/** When a request is refused with each code, for the API reference. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  malformed_json: "The body is not valid JSON.",
  invalid_identity_token:
    "The identity token of a job is malformed, expired, used or not signed by its issuer, or no trust rule trusts the job. `detail` says which.",
  missing_token: "The request carries no bearer token.",
  invalid_token: "The bearer token is malformed, unknown, expired or revoked.",
  invalid_passkey:
    "The answer of a passkey is wrong, expired or used, or the passkey is unknown. `detail` says which.",
  person_required:
    "Only a member can do this, or only an owner, and not a service token. `detail` says whether a personal token is enough.",
  reauthentication_required:
    "The session of a member was not confirmed with a passkey in the last 10 minutes, which this operation needs.",
  sign_in_refused:
    "The answer of a provider is wrong, expired or used, or the provider refused, or the person is not a member and may not become one. `detail` says which.",
  sso_required:
    "The account requires single sign-on, and the person has used something else. Owners can use passkeys.",
  provider_unreachable: "A provider of single sign-on does not answer, or not as its protocol demands.",
  email_taken: "Another member of the account has this e-mail address.",
  host_name_required: "The address of the request is an IP number, and passkeys belong to host names.",
  last_owner: "The member is the last owner of the account.",
  last_passkey: "The passkey is the last one of the member.",
  sign_in_pending:
    "Nobody has allowed the command to sign in yet, or its verifier is wrong, expired or used.",
  owner_exists: "The account has an owner already.",
  invalid_signature: "A delivery to a hook is not signed with the hook's secret.",
  insufficient_scope:
    "The token lacks the required scope, is limited to projects, or asks for permissions that it does not have.",
  own_deployment:
    "You started the deployment, with this token or another one, and the project's `approval` requires somebody else to approve it.",
  https_required:
    "The request was sent over plain HTTP from another machine. The API and the agent's downloads require HTTPS.",
  not_found:
    "The path does not exist, or the account has no object with this id. An id of another account gets the same answer as a missing id.",
  method_not_allowed: "The path does not support this method. `Allow` lists the supported ones.",
  already_live: "The target of the rollback is the live deployment.",
  deployment_activating: "The server is activating the deployment. It can be deleted when it has ended.",
  deployment_live: "The live deployment cannot be deleted.",
  domain_taken: "Another project of this installation uses the domain.",
  hook_exists: "The account already has a hook for this repository.",
  name_taken: "The account already has an object of this type with this name.",
  no_seal_key: "The server's agent has not connected yet or is too old, so nothing can be sealed for it.",
  no_rollback_target:
    "No earlier deployment was live, or the named deployment was never live or was deleted.",
  not_live: "The project has no live deployment, so there is nothing to restart or to apply settings to.",
  no_ingress: "The project's server has no Gantry ingress, so Gantry cannot hold requests.",
  refused_by_policy:
    "The policy of the project's server does not allow the one-off command or cron job. `detail` names the rule.",
  artifact_not_allowed: "The project does not take builds that were made elsewhere.",
  artifact_incomplete:
    "Not all parts of the build are stored, or one has another size than the build's `bytes` and `parts` say. `detail` names it.",
  artifact_quota:
    "The builds of the project take 8 GiB, or 128 parts of builds that no deployment names are stored. `detail` says which.",
  artifact_unreadable:
    "A server of the project cannot open the build, because its key was not sealed for the server. `detail` names the servers.",
  not_approvable: "The deployment needs no approval, or it has ended.",
  commit_unknown: "The deployment's server has not resolved the commit yet, so nobody can approve it.",
  commit_changed: "The deployment deploys another commit than the request names.",
  hold_changed:
    "The approval is for another wait of the deployment: for its start, or for the servers that follow the first ones.",
  not_cancelable: "The deployment has ended, or the server is activating it.",
  not_replayable: "The delivery was refused, or it was not a push, so there is nothing to decide about.",
  queue_full: "The project already has 100 deployments in its queue.",
  too_many:
    "The account has reached the maximum number of objects of this type, or the project the maximum number or size of variables.",
  last_token: "The account's only remaining token that can create all other tokens cannot be revoked.",
  project_busy: "A deployment of the project is running or queued.",
  revision_conflict: "The variables were changed since the `revision` in the request.",
  secrets_not_sealed:
    "Secrets are not sealed for the current key of a server of the project, so its agent cannot open them. `detail` names the secrets and the servers.",
  webhook_disabled: "The webhook is disabled, so nothing is sent to its target.",
  server_in_use:
    "The server is one of a project, builds for one or is a balancer of one, or it still serves a project that was moved. `detail` names the projects that the token may read.",
  protocol_mismatch: "The agent uses another protocol version than this installation.",
  server_offline: "The agent of the project's server is not connected, and the answer has to come from it.",
  containers_missing: "The project runs as a container, and one of its servers cannot run containers.",
  agent_outdated: "The agent of the project's server is too old to answer this request.",
  log_expired: "The log was removed after the account's log retention time.",
  live_changed: "The deployment in `If-Live` is no longer the live one.",
  body_too_large:
    "The body exceeds the limit of the endpoint (64 KiB; 1 MiB for agents; 4 MiB for variables; 5 MiB for deliveries to hooks).",
  unsupported_media_type:
    "The `Content-Type` of the body is not `application/json`, or the body is compressed.",
  invalid_request:
    "A field of the body, the query or a header is unknown, missing or invalid. `errors` lists the fields.",
  idempotency_mismatch: "The `Idempotency-Key` was used for another request in the last 24 hours.",
  rate_limited:
    "The token sent too many requests, or the address sent too many invalid tokens or signatures.",
  too_many_followers:
    "The token follows 100 streams at once, or the log, the output or the account's events have 1,000 followers.",
  upgrade_required: "The path is a WebSocket endpoint, and the request has no upgrade header.",
  internal: "Gantry failed with an internal error. The Worker's log has the cause, with the request id.",
  unavailable: "A component that the request needs is unavailable. `Retry-After` says when to try again.",
};
