import { join } from "node:path";

import type { ProjectId } from "#contract/ids.ts";

export type ProjectFolder = Readonly<ReturnType<typeof projectFolder>>;

export function projectsFolder(home: string): string {
  return join(home, "projects");
}

/** The folders and files of one project. All paths are absolute. */
export function projectFolder(home: string, projectId: ProjectId) {
  const root = join(projectsFolder(home), projectId);
  return {
    id: projectId,
    root,
    mirrors: {
      sha1: join(root, "mirror.git"),
      sha256: join(root, "mirror-sha256.git"),
      modules: join(root, "modules"),
    },
    releases: join(root, "releases"),
    shared: join(root, "shared"),
    /** The home folder of the project's user, if projects are isolated. */
    home: join(root, "home"),
    current: join(root, "current"),
    /** A list of the commits that were live on this server. */
    liveCommits: join(root, "live-commits.json"),
    /** The variables that each release was last live with; secrets stay sealed. */
    variables: join(root, "variables"),
    /** The newest revision of each secret that this server has opened. */
    secretRevisions: join(root, "secret-revisions.json"),
    journal: join(root, "run.json"),
    correction: join(root, "correction.json"),
    spool: join(root, "spool"),
    /** Copies of installed dependencies and of what builds keep for the next one. */
    cache: join(root, "cache"),
    /** The entries of the cache. A folder that is not among them is unfinished or no longer used. */
    cacheIndex: join(root, "cache.json"),
    /** For each release that was live lately, a folder with its files whose names have a hash, and a list of them. */
    assets: join(root, "assets"),
    assetsIndex: join(root, "assets.json"),
    /** Parts of an artifact that this server gets, in a folder that is named after it. */
    artifacts: join(root, "artifacts"),
    /** The project's images and containers. Only the project's user can read it. */
    containers: join(root, "containers"),
    /** What they took after the last deployment. */
    imagesSize: join(root, "images.json"),
    /** Unfinished files, and files that are about to be deleted. */
    temp: join(root, "tmp"),
    /** Output of processes that activate commands left running. */
    output: join(root, "output"),
    /** What each instance of a process prints. The project's user can write to it. */
    logs: join(root, "logs"),
    /** When each instance printed what its log has. */
    outputTimes: join(root, "output-times"),
    /** The instances that this agent has started and not yet seen end. */
    instances: join(root, "instances"),
    /** The instances that must run, and what leads to them. Truth after a restart of the server. */
    desired: join(root, "desired.json"),
    /** The part of the project that runs here, if it has several servers. */
    place: join(root, "place.json"),
    /** One-off commands: a note of each, and its output. */
    commands: join(root, "commands"),
    /** The jobs of the live deployment. */
    cron: join(root, "cron.json"),
    /** The runs of each job: a note of each, and its output. */
    cronRuns: join(root, "cron"),
    /** The domains of the project, and the target of each. */
    site: join(root, "site.json"),
    /** What the ingress serves of a static site while its slot is empty: after a restart of the server. */
    served: join(root, "served"),
    /** Whether visitors get the page of the maintenance. */
    maintenance: join(root, "maintenance.json"),
  };
}
