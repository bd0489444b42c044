import { askHelper, type HelperAnswer, type HelperRequest } from "#agent/isolation/helper.ts";
import type { IsolationLevel } from "#contract/endpoints/servers/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * Whose processes to end: the processes that activate commands left running, or the processes of jobs, which are
 * one-off commands and runs of cron jobs.
 */
export type LeftUnits =
  | { readonly kind: "all" }
  | { readonly kind: "release"; readonly version: number }
  | { readonly kind: "run"; readonly marker: string }
  | { readonly kind: "jobs" }
  | { readonly kind: "job"; readonly marker: string };

/**
 * Who runs the commands of projects. `none`: the agent, as its own user. `projects`: systemd, each command as its
 * project's user and in a sandbox. The isolation helper at this socket starts them.
 */
export type Isolation =
  | { readonly kind: "none" }
  | ({ readonly kind: "projects"; readonly socketPath: string } & ProjectUsers);

/** What the helper does with a project's files and processes. No function throws, and all are safe to repeat. */
export type ProjectUsers = {
  /** Gives a release and the shared files to the project's user, and lets the agent change them. */
  own(project: ProjectId, version: number): Promise<HelperAnswer>;
  /** Ends the project's build. */
  stopBuild(project: ProjectId): Promise<HelperAnswer>;
  /** Ends what activate commands left running, or jobs. @returns each process as `name/pid` */
  endCommands(project: ProjectId, units: LeftUnits): Promise<HelperAnswer>;
  /** @returns `<version>-<n>` of each activate command that left processes running */
  listRunning(project: ProjectId): Promise<HelperAnswer>;
  /** Deletes the project's pruned releases and unfinished files. */
  discard(project: ProjectId): Promise<HelperAnswer>;
  /** Ends everything of the project, and deletes its files and its user. */
  remove(project: ProjectId): Promise<HelperAnswer>;
};

export const noIsolation: Isolation = { kind: "none" };

export function isolateProjects(socketPath: string): Isolation {
  const ask = (request: HelperRequest) => askHelper(socketPath, request);
  return {
    kind: "projects",
    socketPath,
    own: (project, version) => ask({ verb: "own", project, version }),
    stopBuild: (project) => ask({ verb: "end_build", project }),
    endCommands: (project, units) => ask(requestToEnd(project, units)),
    listRunning: (project) => ask({ verb: "running", project }),
    discard: (project) => ask({ verb: "discard", project }),
    remove: (project) => ask({ verb: "remove", project }),
  };
}

function requestToEnd(project: ProjectId, units: LeftUnits): HelperRequest {
  switch (units.kind) {
    case "all":
      return { verb: "end_commands", project };
    case "release":
      return { verb: "end_release", project, version: units.version };
    case "run":
      return { verb: "end_run", project, marker: units.marker };
    case "jobs":
      return { verb: "end_jobs", project };
    case "job":
      return { verb: "end_job", project, marker: units.marker };
  }
}

/** The sentence that the agent logs first, and shows in its status. */
export const isolationSentences: Readonly<Record<IsolationLevel, string>> = {
  projects: "Each project runs as its own user and cannot see other projects.",
  none: "Projects are not isolated: they share the agent's user, and each can read and change the others.",
};

/** Who starts the processes of apps again when they end, for the agent's status. */
export const supervisorSentences: Readonly<Record<IsolationLevel, string>> = {
  projects: "Processes of apps run as units of systemd.",
  none: "Processes of apps run under a supervisor of the agent's user.",
};
