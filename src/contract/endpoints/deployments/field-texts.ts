/** The texts of the fields of a deployment in the list of a project. */
export const rowFields = {
  id: "The deployment's id. Ids sort by creation time.",
  status: "The deployment's status.",
  version: "The number of the deployment within its project, from 1. Numbers are never reused.",
  branch: "The branch or tag that the deployment was started with.",
  commit:
    "The abbreviated commit hash, or the first 12 digits of the digest of an image. `null` until the agent has resolved the branch, which it does before an approval. If the deployment ended before that: the commit that the request named, if it named one.",
  duration: "The run time in seconds: until now while the deployment is running, 0 while it is queued.",
  created_at: "When the deployment was requested.",
};

/** The texts of all fields of a deployment. */
export const deploymentFields = {
  ...rowFields,
  project_id: "The project's id.",
  server_id:
    "The id of the server that the project was on when the deployment was started. Of several servers, the first.",
  runs: "What each of several servers did, in the order in which they switch. A server that goes back has a second run. Empty if the project had one server.",
  build:
    "The build that the servers take instead of building. `null`: each server builds for itself, or needs no build, as for most rollbacks.",
  kind: "What the deployment deploys.",
  rollback_of:
    "For a rollback: the id of the deployment whose code is deployed. It stays when that deployment is deleted or removed after the account's retention time; a read of it is 404 then.",
  stage: "The current stage. `null` after the deployment has ended.",
  deadline_at:
    "The latest time at which the deployment ends. `null` after it has ended, and while a freeze, a missing approval or an unknown commit holds it or the deployment ahead of it.",
  waiting_on: "What a queued deployment waits for. `null` if it is next or no longer queued.",
  trigger: "What started the deployment.",
  actor: "Who started the deployment.",
  commit_sha:
    "The full commit hash, or the digest of an image without `sha256:`. `null` until the agent has resolved the branch, which it does before an approval.",
  commit_message: "The first line of the commit message.",
  started_at: "When the run started: at its agent's first report, or before it if the stages took longer.",
  finished_at: "When the deployment ended.",
  failure: "Why the deployment failed. `null` if it did not fail.",
  evidence: "The evidence that the deployment went live. `null` if it never was live.",
  release_kept:
    "Whether the files are still on the server. If `true`, a rollback to this deployment needs no build.",
  stages:
    "How long each stage of the run took, in their order. Empty until the deployment has ended, and if its agent did not report it.",
  variables_revision:
    "The revision of the project's variables that the deployment runs with. `null` if there were none.",
  clear_cache: "Whether the deployment started without the cache of dependencies and builds.",
  approved_by: "Who approved the deployment. `null` if nobody did, or nobody has yet.",
  emergency: "Why the deployment passed freezes and approvals. `null` if it was not started as an emergency.",
  changes:
    "For a deployment of the kind `config`: what it changes. Until it starts, compared with what is live now. `null` for other kinds, and if the settings that are live are not known.",
};

/** The text of the field with which a request declares an emergency. */
export const emergencyText =
  "Why the deployment cannot wait. It then passes freezes and approvals, also what they hold before it. The reason is in the deployment, its events and the audit log. The token needs the scope `deployments:emergency` too. If omitted: freezes and approvals hold the deployment.";
