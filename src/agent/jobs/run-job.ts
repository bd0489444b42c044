import type { AgentContext } from "#agent/context/context.ts";
import { runIsolated, type UnitLimits } from "#agent/isolation/run-isolated.ts";
import { optimizeHotCode } from "#agent/lib/optimize-hot-code.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { Command, ProcessEnd } from "#build/process/command.ts";
import { killProcessesOfRun } from "#build/process/process-table.ts";
import { type OutputSink, runProcess } from "#build/process/run-process.ts";
import { type CommandStream, createLineOutput } from "#build/process/line-output.ts";
import type { Mask } from "#contract/mask.ts";

export type Job = {
  readonly command: Command;
  readonly folder: ProjectFolder;
  readonly release: number;
  /** Marks its processes. */
  readonly marker: string;
  readonly limits: UnitLimits;
  readonly mask: Mask;
  /** Takes a masked line of its output. */
  readonly line: (stream: CommandStream, text: string) => void;
  /** Whether it takes no more lines. */
  readonly isFull: () => boolean;
  readonly signal: AbortSignal;
};

/**
 * Runs a job as its project's user, if the server has one, and ends all processes that it leaves. A deployment does not end
 * it. Never throws.
 */
export async function runJob({ settings, isolation }: AgentContext, job: Job): Promise<ProcessEnd> {
  const { command, folder, marker, mask, signal } = job;
  optimizeHotCode();
  const lines = createLineOutput(
    { line: (stream, text) => job.line(stream, mask(text)), room: () => null, mask },
    settings.partialLineMs,
  );
  // A command may print for hours, and to split and mask that would keep the agent from its other work.
  const unlessFull =
    (receive: OutputSink["stdout"]): OutputSink["stdout"] =>
    (chunk) =>
      job.isFull() ? null : receive(chunk);
  const output = { stdout: unlessFull(lines.sink.stdout), stderr: unlessFull(lines.sink.stderr) };
  try {
    if (isolation.kind === "projects")
      return await runIsolated(command, {
        users: isolation,
        unit: {
          ...{ kind: "job", project: folder.id, version: job.release, number: 1 },
          ...{ marker, limits: job.limits },
        },
        output,
        outputFolder: folder.output,
        // Not used, because a job writes to pipes.
        follow: { pollMs: 0, maxBytes: 0, onDropped: () => undefined },
        signal,
        outputGraceMs: settings.outputGraceMs,
      });
    const { end } = await runProcess(command, {
      output,
      channel: { kind: "pipes" },
      ledger: { opened: () => undefined, closed: () => undefined },
      signal,
      leftovers: "kill",
      stopGraceMs: settings.stopGraceMs,
      outputGraceMs: settings.outputGraceMs,
    });
    // A daemon leaves its process group when it starts.
    await killProcessesOfRun(marker);
    return end;
  } finally {
    lines.end();
  }
}
