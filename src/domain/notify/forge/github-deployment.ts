import type { DeploymentEvent } from "#contract/endpoints/events/schemas.ts";
import type { CommitStatusSettings } from "#contract/endpoints/webhooks/settings.ts";
import { isPlainUrl } from "#domain/notify/deployment-message.ts";
import { type CommitState, describe, stateOf } from "#domain/notify/forge/commit-states.ts";
import { type ForgeTarget, forgeHeaders } from "#domain/notify/forge/status-request.ts";
import { fitText, plainLine } from "#domain/notify/limit-text.ts";
import { jsonRequest } from "#domain/notify/json-request.ts";
import type { OutgoingRequest, OutletMemory, TargetAnswer } from "#domain/outlet/outgoing-request.ts";

const MAX_ENVIRONMENT = 100;

const states = {
  pending: "queued",
  running: "in_progress",
  success: "success",
  failure: "failure",
  canceled: "error",
} as const satisfies Record<CommitState, string>;

/** A request about a deployment of GitHub. Its first one is to find or create it, because its id is in GitHub's answer. */
export type GithubStep = {
  readonly name: "find" | "create" | "set_state";
  readonly request: OutgoingRequest;
};

/**
 * The next request about the GitHub deployment of an event's deployment; null: there is none.
 * @param answers to all requests of this attempt
 */
export function githubStep(
  event: DeploymentEvent,
  settings: CommitStatusSettings,
  target: ForgeTarget,
  memory: OutletMemory,
  answers: readonly TargetAnswer[],
): GithubStep | null {
  const { deployment } = event.data;
  if (!settings.deployments || deployment.kind === "config") return null;
  const state = githubState(event.type);
  const { id, sequence } = known(memory, deployment.id);
  const isSent = sequence > event.data.sequence || (sequence === event.data.sequence && answers.length > 0);
  if (state === null || deployment.commit_sha === null || isSent) return null;
  const base = `${target.api.url}/repos/${target.path.map(encodeURIComponent).join("/")}/deployments`;
  const options = { headers: forgeHeaders(settings), coalesce: target.coalesce };
  if (id !== null)
    return {
      name: "set_state",
      request: jsonRequest(
        `${base}/${id}/statuses`,
        {
          state,
          log_url: target.url,
          description: describe(event, deployment.commit_sha),
          ...(isPlainUrl(target.project.url) ? { environment_url: target.project.url } : {}),
          // Several projects may share an environment: each ends its own deployments.
          auto_inactive: false,
        },
        options,
      ),
    };
  if (state === "inactive") return null;
  const environment = fitText(settings.environment ?? plainLine(target.project.name), MAX_ENVIRONMENT);
  // An earlier attempt may have created it without getting the answer with its id.
  if (!answers.some(isList)) {
    const query = `sha=${deployment.commit_sha}&environment=${encodeURIComponent(environment)}&per_page=1`;
    const request = { ...jsonRequest(`${base}?${query}`, null, options), method: "GET" as const, body: "" };
    return { name: "find", request };
  }
  const last = answers.at(-1);
  if (last === undefined || !isList(last)) return null;
  return {
    name: "create",
    request: jsonRequest(
      base,
      {
        ref: deployment.commit_sha,
        environment,
        description: describe(event, deployment.commit_sha),
        payload: { gantry_deployment: deployment.id },
        // Otherwise GitHub merges the default branch into the ref.
        auto_merge: false,
        // Otherwise GitHub refuses until every status of the commit, ours too, is a success.
        required_contexts: [],
      },
      options,
    ),
  };
}

/** Only the search for deployments is answered by a list. */
const isList = ({ body }: TargetAnswer) => body.trimStart().startsWith("[");

function githubState(type: DeploymentEvent["type"]): string | null {
  const state = stateOf(type);
  if (state !== null) return states[state];
  return type === "deployment.superseded" ? "inactive" : null;
}

/** What to keep of an answer to a step. */
export function keepOfGithubAnswer(
  { name }: GithubStep,
  { data: { deployment, sequence } }: DeploymentEvent,
  body: string,
): OutletMemory {
  if (name === "set_state") return { [sequenceKey(deployment.id)]: String(sequence) };
  if (name === "find" && !body.includes(deployment.id)) return {};
  // The answer may be cut, so it is not parsed. Only the deployment's own address ends with its id.
  const [, id] = /"url":\s*"[^"\s]*\/deployments\/(\d+)"/.exec(body) ?? [];
  return id === undefined ? {} : { [idKey(deployment.id)]: id };
}

const idKey = (deployment: string) => `github_id:${deployment}`;
const sequenceKey = (deployment: string) => `github_sequence:${deployment}`;

function known(memory: OutletMemory, deployment: string): { id: string | null; sequence: number } {
  return {
    id: memory[idKey(deployment)] ?? null,
    sequence: Number(memory[sequenceKey(deployment)] ?? 0),
  };
}
