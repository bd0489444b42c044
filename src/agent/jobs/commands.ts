import type { AgentContext } from "#agent/context/context.ts";
import { outputPath, pruneCommands, readCommandNote, writeCommandNote } from "#agent/jobs/command-notes.ts";
import type { JobFiles } from "#agent/jobs/job-files.ts";
import { createJobRuns } from "#agent/jobs/job-runs.ts";
import { refuseJob } from "#agent/jobs/refuse-job.ts";
import { checkCommand } from "#agent/policy/check-commands.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentRequestOf } from "#contract/agent-requests.ts";
import {
  type CommandReading,
  type CommandState,
  MAX_COMMAND_OUTPUT_BYTES,
  MAX_RUNNING_COMMANDS,
} from "#contract/endpoints/commands/schemas.ts";
import type { CommandId, ProjectId } from "#contract/ids.ts";

/** Runs one-off commands. */
export type Commands = {
  /** @throws when the disk is full */
  readonly start: (request: AgentRequestOf<"start_command">) => Promise<CommandReading>;
  readonly read: (request: AgentRequestOf<"read_command">) => Promise<CommandReading>;
  readonly stop: (request: AgentRequestOf<"stop_command">) => Promise<CommandReading>;
  /** Ends the commands of a project, or all (`null`) with the agent: then it starts no more. */
  end(project: ProjectId | null): Promise<void>;
};

export function createCommands(context: AgentContext): Commands {
  const runs = createJobRuns<CommandState>(context);

  async function start(request: AgentRequestOf<"start_command">): Promise<CommandReading> {
    const { project_id, command_id: id, command: line, timeout_seconds } = request;
    const folder = projectFolder(context.home, project_id);
    const files = commandFiles(folder, id);
    // Everything until the start is one step, so that a request that comes twice starts it once.
    const known = runs.starting(files);
    if (known === null && files.read() !== null) return read(files, 0, 0);
    if (known === null) {
      if (runs.count(project_id) >= MAX_RUNNING_COMMANDS)
        return refuseJob("too_many", `${MAX_RUNNING_COMMANDS} commands of the project run already`);
      const refusal = checkCommand(context.policy, line);
      if (refusal !== null) return refuseJob("refused_by_policy", refusal);
    }
    const job = {
      ...{ line, marker: id, timeoutSeconds: timeout_seconds, begin: runningState },
      release: () => readCurrent(folder),
    };
    const answer = await (known ?? runs.start(files, job));
    return answer.ok ? read(files, 0, 0) : answer;
  }

  async function read(
    files: JobFiles<CommandState>,
    offset: number,
    waitMs: number,
  ): Promise<CommandReading> {
    const reading = await runs.read(files, offset, waitMs);
    return reading === null
      ? refuseJob("unknown_command", "the server does not have this command: it keeps only the newest ones")
      : { ok: true, ...reading };
  }

  return {
    start,
    read: ({ project_id, command_id, offset, wait_ms }) =>
      read(commandFiles(projectFolder(context.home, project_id), command_id), offset, wait_ms),
    async stop({ project_id, command_id }) {
      const files = commandFiles(projectFolder(context.home, project_id), command_id);
      await runs.stop(files);
      return read(files, 0, 0);
    },
    end: (project) => runs.end(project),
  };
}

function commandFiles(folder: ProjectFolder, id: CommandId): JobFiles<CommandState> {
  return {
    folder,
    output: outputPath(folder, id),
    maxOutputBytes: MAX_COMMAND_OUTPUT_BYTES,
    read: () => readCommandNote(folder, id)?.state ?? null,
    write: (state) => writeCommandNote(folder, { id, state }),
    prune: () => pruneCommands(folder),
  };
}

/** The state of a command that has started. */
function runningState(release: number, started_at: string): CommandState {
  return {
    ...{ status: "running", exit_code: null, signal: null, message: null, release },
    ...{ started_at, finished_at: null },
  };
}
