import { appCommand } from "#agent/apps/release-command.ts";
import type { AgentContext } from "#agent/context/context.ts";
import {
  type CommandNote,
  outputPath,
  pruneCommands,
  readCommandNote,
  writeCommandNote,
} from "#agent/jobs/command-notes.ts";
import { CommandOutputWriter, readOutput } from "#agent/jobs/command-output.ts";
import { endedState, type StopReason } from "#agent/jobs/ended-state.ts";
import { runJob } from "#agent/jobs/run-job.ts";
import { checkCommand } from "#agent/policy/check-policy.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import { INSTANCE_MARKER } from "#build/process/process-table.ts";
import type { AgentRequest } from "#contract/agent-protocol.ts";
import {
  type CommandReading,
  type CommandState,
  MAX_RUNNING_COMMANDS,
} from "#contract/endpoints/commands/schemas.ts";
import type { CommandId, ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { createMask } from "#contract/mask.ts";

type RequestOf<Type extends AgentRequest["type"]> = Extract<AgentRequest, { type: Type }>;
type CommandRequest = RequestOf<"start_command" | "read_command" | "stop_command">;

/** Runs one-off commands. */
export type Commands = {
  /** @throws when the disk is full */
  answer(request: CommandRequest): Promise<CommandReading>;
  /** Ends the commands of a project, or all (`null`) with the agent: then it starts no more. */
  end(project: ProjectId | null): Promise<void>;
};

/** A command that is being started or runs, or whose end could not be stored. */
type Entry = {
  readonly folder: ProjectFolder;
  readonly interrupt: AbortController;
  reason: StopReason | null;
  /** `null` while it is being started. */
  state: CommandState | null;
  readonly output: CommandOutputWriter;
  /** The answer to its start. */
  started: Promise<CommandReading>;
  finished: Promise<void>;
};

/** How long the answer to a stop waits for the end. */
const STOP_MS = 3_000;
/** Lines that come within this time are read together. */
const GATHER_MS = 150;

export function createCommands(context: AgentContext): Commands {
  const entries = new Map<CommandId, Entry>();
  let isEnding = false;

  function interrupt(entry: Entry, reason: StopReason): void {
    entry.reason ??= reason;
    entry.interrupt.abort();
  }

  function start(request: RequestOf<"start_command">): Promise<CommandReading> {
    const { project_id, command_id: id } = request;
    const folder = projectFolder(context.home, project_id);
    const known = entries.get(id)?.started;
    if (known !== undefined) return known;
    if (readCommandNote(folder, id) !== null) return Promise.resolve(readNow(folder, id, 0));
    if (isEnding) return Promise.resolve(refuse("failed", "the agent is ending"));
    const running = [...entries.values()].filter((one) => one.folder.id === project_id);
    if (running.length >= MAX_RUNNING_COMMANDS)
      return Promise.resolve(
        refuse("too_many", `${MAX_RUNNING_COMMANDS} commands of the project run already`),
      );
    const entry: Entry = {
      folder,
      interrupt: new AbortController(),
      reason: null,
      state: null,
      output: new CommandOutputWriter(outputPath(folder, id)),
      started: Promise.resolve(refuse("failed", "")),
      finished: Promise.resolve(),
    };
    entries.set(id, entry);
    entry.started = begin(request, entry).catch((error: unknown) => refuse("failed", messageOf(error)));
    void entry.started.then((answer) => {
      if (!answer.ok) entries.delete(id);
    });
    return entry.started;
  }

  async function begin(request: RequestOf<"start_command">, entry: Entry): Promise<CommandReading> {
    const { command_id: id, command: line, timeout_seconds } = request;
    const { folder } = entry;
    const refusal = checkCommand(context.policy, line);
    if (refusal !== null) return refuse("refused_by_policy", refusal);
    const version = await readCurrent(folder);
    const release = version === null ? null : await readRelease(folder, version);
    if (release === null) return refuse("not_live", "no release of the project is live on this server");
    const opened = await openReleaseVariables(folder, context.sealKey, folder.id, release.version);
    if (!opened.ok) return refuse("secrets_not_sealed", opened.message);
    const found = await appCommand(context, folder, release, line, id, opened.value.activate);
    if (!found.ok) return refuse("failed", found.reason);
    const state: CommandState = {
      ...{ status: "running", exit_code: null, signal: null, message: null, release: release.version },
      ...{ started_at: timeText(), finished_at: null },
    };
    // Before the start: a reader of the note knows that the command may have run.
    await writeCommandNote(folder, { id, state });
    entry.state = state;
    const job = {
      // An app's instance has this too. So nobody takes it for something that an activate command left running.
      command: { ...found.value, env: { ...found.value.env, [INSTANCE_MARKER]: id } },
      ...{ folder, release: release.version, marker: id },
      limits: unitLimits("command", release.limits ?? {}, context.policy),
      mask: maskSecrets(opened.value.secretValues, createMask()),
      line: (stream: "stdout" | "stderr", message: string) => entry.output.add({ stream, message }),
      signal: entry.interrupt.signal,
    };
    const timer = setTimeout(() => interrupt(entry, "timed_out"), timeout_seconds * 1000);
    entry.finished = runJob(context, job).then(async (end) => {
      clearTimeout(timer);
      await finish(entry, { id, state: endedState(state, end, entry.reason, timeText()) });
    });
    return readNow(folder, id, 0);
  }

  async function finish(entry: Entry, note: CommandNote): Promise<void> {
    entry.output.flush();
    try {
      await writeCommandNote(entry.folder, note);
      entries.delete(note.id);
    } catch (error) {
      // It stays in memory. The next life of the agent takes it for one that was running.
      entry.state = note.state;
      context.log(`${entry.folder.id}: the end of ${note.id} cannot be stored: ${messageOf(error)}`);
    }
    entry.output.flush();
    pruneCommands(entry.folder);
  }

  function readNow(folder: ProjectFolder, id: CommandId, offset: number): CommandReading {
    // Before the output, so that an end is not reported without the last lines.
    const state = entries.get(id)?.state ?? readCommandNote(folder, id)?.state;
    if (state === undefined)
      return refuse("unknown_command", "the server does not know the command: it keeps the newest ones only");
    const { lines, nextOffset, isEnd } = readOutput(outputPath(folder, id), offset);
    return {
      ok: true,
      ...{ state, lines, next_offset: nextOffset },
      complete: state.finished_at !== null && isEnd,
    };
  }

  async function read(request: RequestOf<"read_command">): Promise<CommandReading> {
    const { project_id, command_id: id, offset, wait_ms } = request;
    const folder = projectFolder(context.home, project_id);
    const entry = entries.get(id);
    if (entry !== undefined) {
      await entry.started;
      const first = readNow(folder, id, offset);
      if (!first.ok || first.complete || first.lines.length > 0 || wait_ms === 0) return first;
      const enough = new AbortController();
      await Promise.race([entry.output.changed(), entry.finished, pause(wait_ms, enough.signal)]);
      await Promise.race([entry.finished, pause(Math.min(GATHER_MS, wait_ms), enough.signal)]);
      enough.abort();
    }
    return readNow(folder, id, offset);
  }

  async function stop(request: RequestOf<"stop_command">): Promise<CommandReading> {
    const { project_id, command_id: id } = request;
    const entry = entries.get(id);
    if (entry !== undefined) {
      await entry.started;
      interrupt(entry, "stopped");
      // The caller reads the output to its end anyway.
      await Promise.race([entry.finished, pause(STOP_MS)]);
    }
    return readNow(projectFolder(context.home, project_id), id, 0);
  }

  const timeText = () => new Date(context.clock.now()).toISOString();

  return {
    answer(request) {
      switch (request.type) {
        case "start_command":
          return start(request);
        case "read_command":
          return read(request);
        case "stop_command":
          return stop(request);
      }
    },
    async end(project) {
      if (project === null) isEnding = true;
      const ending = [...entries.values()].filter(({ folder }) => project === null || folder.id === project);
      for (const entry of ending) interrupt(entry, "lost");
      for (const entry of ending) {
        await entry.started;
        await entry.finished;
      }
    },
  };
}

function refuse(
  code: Extract<CommandReading, { ok: false }>["code"],
  message: string,
): Extract<CommandReading, { ok: false }> {
  return { ok: false, code, message: message.slice(0, 2000).toWellFormed() };
}
