import { isOnlyBuilder } from "#agent/workspace/artifact-task.ts";
import type { Place, RunOrder, RunVariables } from "#contract/agent-order.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import {
  WEB,
  type AllProcessSettings,
  type ProcessDefinitions,
} from "#contract/endpoints/processes/schemas.ts";
import { isAccessToken } from "#contract/endpoints/variables/schemas.ts";
import { runsOn } from "#contract/endpoints/projects/servers.ts";
import { type ResolvedProcess, resolveProcesses } from "#contract/processes/resolve-processes.ts";
import { type ResolvedCronJob, resolveCron } from "#project-files/cron/resolve-cron.ts";

/** The part of a project that runs on this server; `null`: all of it, because the project has no other server. */
export type PlaceHere = Place | null;

/** The processes that have instances here, as if the project had no others. */
export function processesHere(
  place: PlaceHere,
  repository: ProcessDefinitions,
  settings: AllProcessSettings,
): readonly ResolvedProcess[] {
  return resolveProcesses(repository, settings).filter(({ name }) => isHere(place, name));
}

/** The cron jobs that run here. */
export function jobsHere(
  place: PlaceHere,
  repository: readonly CronJob[],
  settings: readonly CronJob[],
): readonly ResolvedCronJob[] {
  return place?.cron === false ? [] : resolveCron(repository, settings);
}

/** Whether the project's domain leads to this server. */
export function servesDomain(place: PlaceHere): boolean {
  return isHere(place, WEB);
}

/**
 * The processes that should run here and that the release does not have. `web` also stands for the domain, so a project
 * without that process may name it.
 */
export function unknownHere(place: PlaceHere, here: readonly ResolvedProcess[]): readonly string[] {
  const known = new Set(here.map(({ name }) => name));
  return (place?.processes ?? []).filter((name) => name !== WEB && !known.has(name));
}

/**
 * An order with the settings for this server only, so that this server's policy need not allow what runs on others. The
 * definitions of the repository are known later.
 */
export function orderHere(order: RunOrder): RunOrder {
  const { place } = order;
  if (isOnlyBuilder(order)) return orderToBuild(order);
  if (place === undefined) return order;
  const settings = Object.entries(order.processes).filter(([name]) => isHere(place, name));
  return {
    ...order,
    processes: Object.fromEntries(settings),
    cron: place.cron ? order.cron : [],
    release_command: place.release === false ? null : order.release_command,
  };
}

/** The order of a server that only builds: it has no shared files, and gets only secrets of builds. */
function orderToBuild(order: RunOrder): RunOrder {
  const { variables } = order;
  const isForBuild = ({ build, name }: RunVariables["secrets"][number]) => build || isAccessToken(name);
  return {
    ...order,
    shared_paths: [],
    ...(variables === undefined
      ? {}
      : { variables: { ...variables, secrets: variables.secrets.filter(isForBuild) } }),
  };
}

function isHere(place: PlaceHere, process: string): boolean {
  return place === null || runsOn(place, process);
}
