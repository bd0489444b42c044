import type { CommitStatusSettings, StatusForge } from "#contract/endpoints/webhooks/settings.ts";
import type { EventProject } from "#contract/endpoints/events/schemas.ts";
import type { CommitState, CommitStatus } from "#domain/notify/forge/commit-states.ts";
import type { ForgeApi } from "#domain/notify/forge/forge-api.ts";
import { fitText, plainLine } from "#domain/notify/limit-text.ts";
import { jsonRequest } from "#domain/notify/json-request.ts";
import type { OutgoingRequest } from "#domain/outlet/outgoing-request.ts";

/** The name of a status on its commit: 255 characters at most on each forge. */
const MAX_CONTEXT = 255;

/** Where statuses and deployments of a project go. `path`: of the repository. */
export type ForgeTarget = {
  readonly api: ForgeApi;
  readonly path: readonly string[];
  readonly project: EventProject;
  /** Of a page about the deployment. */
  readonly url: string;
  readonly coalesce: string;
};

const githubStates = {
  pending: "pending",
  running: "pending",
  success: "success",
  failure: "failure",
  canceled: "error",
} as const satisfies Record<CommitState, string>;

const gitlabStates = {
  pending: "pending",
  running: "running",
  success: "success",
  failure: "failed",
  canceled: "canceled",
} as const satisfies Record<CommitState, string>;

const bitbucketStates = {
  pending: "INPROGRESS",
  running: "INPROGRESS",
  success: "SUCCESSFUL",
  failure: "FAILED",
  canceled: "STOPPED",
} as const satisfies Record<CommitState, string>;

/** GitLab's answer to a state that the status has already. Source: "Commits API" and the machine of `CommitStatus`. */
const GITLAB_SAME_STATE = "Cannot transition status";

/** Sets the state of a commit. The newest request for a commit and a context replaces the earlier ones. */
export function statusRequest(
  settings: CommitStatusSettings,
  { api, path, project, url, coalesce }: ForgeTarget,
  { sha, state, description }: CommitStatus,
): OutgoingRequest {
  const context = fitText(`gantry/${plainLine(project.name)}`, MAX_CONTEXT);
  const joined = path.map(encodeURIComponent).join("/");
  const options = { headers: forgeHeaders(settings), coalesce };
  switch (settings.forge) {
    case "github":
    case "gitea":
      return jsonRequest(
        `${api.url}/repos/${joined}/statuses/${sha}`,
        { state: githubStates[state], target_url: url, description, context },
        options,
      );
    case "gitlab":
      return jsonRequest(
        `${api.url}/projects/${encodeURIComponent(path.join("/"))}/statuses/${sha}`,
        { state: gitlabStates[state], target_url: url, description, name: context },
        {
          ...options,
          // A second deployment of a commit, or an attempt whose answer was lost.
          acceptedProblem: state === "pending" || state === "running" ? GITLAB_SAME_STATE : null,
        },
      );
    case "bitbucket":
      return jsonRequest(
        `${api.url}/repositories/${joined}/commit/${sha}/statuses/build`,
        // A key has 40 characters at most, so it is the project's id.
        { key: project.id, state: bitbucketStates[state], name: context, url, description },
        options,
      );
  }
}

/** An authenticated request that changes nothing. It fails with a wrong token. */
export function tokenCheck(settings: CommitStatusSettings, api: ForgeApi): OutgoingRequest {
  return {
    method: "GET",
    url: `${api.url}${checkPaths[settings.forge]}`,
    headers: forgeHeaders(settings),
    body: "",
    coalesce: null,
    acceptedProblem: null,
  };
}

/** Paths that need no permission of their own, but refuse a wrong token. */
const checkPaths = {
  github: "/rate_limit",
  gitlab: "/version",
  gitea: "/version",
  bitbucket: "/hook_events",
} as const satisfies Record<StatusForge, string>;

/** The headers of each request to a forge. */
export function forgeHeaders({ forge, token }: CommitStatusSettings): Readonly<Record<string, string>> {
  switch (forge) {
    case "github":
      return {
        authorization: `Bearer ${token}`,
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
      };
    case "gitlab":
      return { "private-token": token };
    case "gitea":
      return { authorization: `token ${token}` };
    case "bitbucket":
      return { authorization: `Bearer ${token}` };
  }
}
