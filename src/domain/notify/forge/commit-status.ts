import type { DeploymentEvent } from "#contract/endpoints/events/schemas.ts";
import type { CommitStatusSettings } from "#contract/endpoints/webhooks/settings.ts";
import { deploymentPage, isAboutDeployment } from "#domain/notify/deployment-message.ts";
import { commitStates } from "#domain/notify/forge/commit-states.ts";
import { forgeApi, repositoryPath } from "#domain/notify/forge/forge-api.ts";
import { type GithubStep, githubStep, keepOfGithubAnswer } from "#domain/notify/forge/github-deployment.ts";
import { type ForgeTarget, statusRequest, tokenCheck } from "#domain/notify/forge/status-request.ts";
import type { DeliveryInput, OutgoingRequest, OutletMemory } from "#domain/outlet/outgoing-request.ts";

type Input = DeliveryInput<CommitStatusSettings>;

/** `sha`: the commit whose state the request sets. */
type Step =
  | { readonly type: "check"; readonly request: OutgoingRequest }
  | { readonly type: "status"; readonly request: OutgoingRequest; readonly sha: string }
  | { readonly type: "deployment"; readonly request: OutgoingRequest; readonly step: GithubStep };

/** The next request to a forge about an event: first the states of the commits, then GitHub's deployment. */
export function commitStatusRequest(input: Input): OutgoingRequest | null {
  return stepOf(input)?.request ?? null;
}

/** What to keep of the last answer, so that no older state is set after a newer one. */
export function keepOfForgeAnswer(input: Input): OutletMemory {
  const { event, answers } = input;
  const step = stepOf({ ...input, answers: answers.slice(0, -1) });
  if (step === null || !isAboutDeployment(event)) return {};
  switch (step.type) {
    case "check":
      return {};
    case "status":
      return { [stateKey(event, step.sha)]: String(event.data.sequence) };
    case "deployment":
      return keepOfGithubAnswer(step.step, event, answers.at(-1)?.body ?? "");
  }
}

function stepOf({ event, settings, origin, memory, answers }: Input): Step | null {
  const api = forgeApi(settings);
  if (event.type === "webhook.test")
    return answers.length === 0 ? { type: "check", request: tokenCheck(settings, api) } : null;
  if (!isAboutDeployment(event)) return null;
  const { project, deployment, sequence } = event.data;
  const path = repositoryPath(project.repository, api, settings);
  if (path === null) return null;
  const target: ForgeTarget = {
    api,
    path,
    project,
    url: deploymentPage(origin, deployment),
    coalesce: deployment.id,
  };
  const statuses = settings.statuses ? commitStates(event) : [];
  // A newer event may have set the state of a commit: an event of another deployment, or of this deployment before a
  // retry.
  const status = statuses.find(({ sha }) => {
    const newest = Number(memory[stateKey(event, sha)] ?? 0);
    return newest < sequence || (newest === sequence && answers.length === 0);
  });
  if (status !== undefined)
    return { type: "status", request: statusRequest(settings, target, status), sha: status.sha };
  if (settings.forge !== "github") return null;
  const step = githubStep(event, settings, target, memory, answers);
  return step === null ? null : { type: "deployment", request: step.request, step };
}

const stateKey = ({ data: { project } }: DeploymentEvent, sha: string) => `state:${project.id}:${sha}`;
