import { installCommand } from "#contract/public-paths.ts";
import { refuse } from "#contract/problems.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import type { Context } from "#worker/context.ts";

/**
 * Says which servers of a project with several have an agent that is too old for a deployment: it would run the whole project,
 * and so the cron jobs and the release command a second time. null: all agents are new enough.
 */
function oldAgentsText({ members, outdatedBuilder }: AgentsToDeploy): string | null {
  const outdated = members.filter(({ isOutdated }) => isOutdated === 1).map(({ name }) => name);
  if (outdated.length > 0) return tooOld(outdated, "for a project on several servers");
  return outdatedBuilder === null ? null : tooOld([outdatedBuilder], "to build for other servers");
}

type AgentsToDeploy = Pick<ProjectToDeploy, "members" | "outdatedBuilder">;

function tooOld(names: readonly string[], forWhat: string): string {
  const [whose, verb] = names.length === 1 ? ["The agent of", "is"] : ["The agents of", "are"];
  return `${whose} ${names.join(", ")} ${verb} too old ${forWhat}.`;
}

/**
 * Refuses a request for which the agents of these servers are too old; null: there are no such servers.
 * @param forWhat the end of the sentence, such as `to build for other servers`
 */
export function refuseTooOld(context: Pick<Context, "origin">, names: readonly string[], forWhat: string) {
  return names.length === 0 ? null : refuseOutdated(context, tooOld(names, forWhat));
}

/** Refuses a start on several servers of which some have an old agent; null: none has. */
export function refuseOldAgents(context: Pick<Context, "origin">, found: AgentsToDeploy) {
  const text = oldAgentsText(found);
  return text === null ? null : refuseOutdated(context, text);
}

/**
 * Why a project cannot be deployed on its servers, with their names: agents that are too old, or no containers for a project that runs as
 * one. null: it can.
 */
export function findUnfitServers(
  found: AgentsToDeploy & Pick<ProjectToDeploy, "containers">,
): { readonly code: "agent_outdated" | "containers_missing"; readonly text: string } | null {
  const old = oldAgentsText(found);
  if (old !== null) return { code: "agent_outdated", text: old };
  const { outdated, missing } = found.containers;
  if (outdated.length > 0)
    return {
      code: "agent_outdated",
      text: tooOld(outdated, "for a project that runs as a container"),
    };
  if (missing.length === 0) return null;
  const text = `The project runs as a container, and ${missing.join(", ")} cannot run containers.`;
  return { code: "containers_missing", text };
}

/** Refuses a start on servers that cannot carry it out, and says what to run there; null: all can. */
export function refuseUnfitServers(
  { origin }: Pick<Context, "origin">,
  found: Parameters<typeof findUnfitServers>[0],
) {
  const unfit = findUnfitServers(found);
  if (unfit === null) return null;
  if (unfit.code === "agent_outdated") return refuseOutdated({ origin }, unfit.text);
  const command = `${installCommand(origin)} | sh -s -- --with-containers`;
  return refuse(
    "containers_missing",
    `${unfit.text} Run there as root: ${command}. gantry servers show says what a server lacks.`,
  );
}

function refuseOutdated({ origin }: Pick<Context, "origin">, text: string) {
  return refuse("agent_outdated", `${text} Update there: ${installCommand(origin)} | sh`);
}
