import * as schemas from "#contract/endpoints/deployments/schemas.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

/** The texts of the schemas about what a deployment changed and how it ended. */
export const outcomeSchemas = {
  DeploymentChange: object(schemas.DeploymentChange, "What a deployment of the live code changes.", {
    setting:
      "The name of a setting such as `processes.web.instances`, `processes.web.restart` for the replacement of all instances, or `variables`.",
    before: "The value before, as text; for `variables` a revision. `null`: none, or it is not shown.",
    after: "The value after, as `before`.",
  }),
  FailureCode: choice(schemas.FailureCode, "Why a deployment failed.", {
    fetch_failed: "git could not fetch the repository, or a registry did not give an image",
    ref_not_found: "the repository does not contain the branch or commit",
    commit_not_reachable:
      "no branch or tag of the repository contains the commit; `message` says how to fix it",
    tool_missing: "the build needs a tool that the server does not have",
    containers_missing: "the project runs as a container, and the server cannot run containers",
    install_failed: "the install command failed",
    build_failed: "the build command failed, or its output cannot be published",
    release_failed: "the release command failed; the server did not switch to the release",
    not_live: "nothing was live that a deployment of the kind `config` could deploy again",
    start_failed: "an instance of a process did not start; the server did not switch to the release",
    activate_failed: "the switch to the release or the activate command failed",
    health_check_failed: "the health check failed",
    timed_out: "a stage exceeded its timeout",
    server_lost: "the server sent nothing for 5 minutes during the run",
    server_offline: "the server did not connect within `timeouts.queue_seconds`",
    disk_full: "the server's disk is full",
    refused_by_policy: "the policy file on the server forbids the deployment",
    image_unsigned:
      "an image does not have the signature that the policy file on the server requires: the image of a repository, or an image that a Dockerfile names",
    secrets_unreadable:
      "the server cannot open or use secrets of the project, or has used newer ones; enter the secrets that `message` names again",
    artifact_invalid:
      "the build that the server has got is damaged, belongs to another project, or is for another platform",
    artifact_unavailable:
      "the build could not be sent to the control plane, or not be read from it, in the time of its stage",
    internal: "an internal error of Gantry",
  }),
  DeploymentBuild: object(schemas.DeploymentBuild, "The build that the servers of a deployment take.", {
    server_id: "The server that builds for all. `null`: the build was uploaded.",
    sha256: "The SHA-256 of its encrypted archive. `null`: it is not made yet.",
    bytes: "The size of its encrypted archive, in bytes. `null`: it is not made yet.",
  }),
  DeploymentRun: object(schemas.DeploymentRun, "What one of several servers does for a deployment.", {
    server_id: "The server's id.",
    purpose:
      "`deploy`: it deploys. `revert`: it goes back, because the deployment failed or was canceled. `catch_up`: it gets the deployment after it went live on the others.",
    status:
      "`waiting`: another server resolves the commit first. `offered`: its agent has not taken it yet. `running`: it works. `ready`: it waits until it may switch. `switched`: it serves the `release`. `failed`: see `failure`. `stopped`: it was told to stop, and had not switched. `skipped`: it was left out, because it was not connected.",
    stage: "The stage of a server that is running. `null` otherwise.",
    failure: "Why it failed. `null` otherwise.",
    release: "The number of the release that it has switched to. `null` if it has not.",
    evidence: "What proves that it serves the release. `null` if it does not.",
    started_at: "When it began. `null` if it has not.",
    finished_at: "When it ended. `null` if it has not.",
  }),
  Failure: object(schemas.DeploymentFailure, "Why a deployment failed.", {
    code: "The reason, for programs.",
    message: "The reason, for people.",
    stage: "The stage that failed.",
    server_id: "The server on which it failed. Absent if the project has one server.",
    failing_line:
      "The line of the command's output that most likely says why it failed: the first of its last lines that looks like an error, and otherwise the last one. Absent if there is no output.",
    hint: "What to do about it, if the cause is a known one.",
    evidence: "Details from the stage that failed.",
  }),
  FailureEvidence: object(
    schemas.FailureEvidence,
    "Details of a failure. Which fields exist depends on the stage.",
    {
      exit_code: "The command's exit code.",
      signal: "The signal that ended the command.",
      stderr_tail: "The end of the command's standard error.",
      health_status:
        "The HTTP status of the last response to the health check. `null` if there was no response.",
      health_body: "The beginning of that response.",
    },
  ),
  LiveEvidence: object(schemas.LiveEvidence, "The evidence that a deployment went live.", {
    target: "The target of the symbolic link `current` on the server.",
    commit_sha: "The commit of that release.",
    health_check: "The result of the health check. `null` if the project has none.",
    "health_check.url": "The URL that was requested.",
    "health_check.status": "The HTTP status of the response.",
    "health_check.tries": "The number of requests that were sent.",
  }),
} satisfies Record<string, SchemaText>;
