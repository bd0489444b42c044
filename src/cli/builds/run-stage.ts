import { projectEnvironment } from "#build/commands/environment.ts";
import { type ReleaseFacts, shellCommand } from "#build/commands/shell.ts";
import {
  type CommandEnd,
  commandFailure,
  describeEnd,
  timeoutFailure,
} from "#build/failure/command-failure.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { killProcessesOfRun, processesOfRun } from "#build/process/process-table.ts";
import { type GroupLedger, runProcess } from "#build/process/run-process.ts";
import { createTailedOutput } from "#build/process/tailed-output.ts";
import type { BuildLog } from "#cli/builds/build-log.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { sendSignal, signalGroup } from "#node/processes.ts";

/** As the settings of an agent, except a shorter time from SIGTERM to SIGKILL, because a person waits for the end. */
const STOP_GRACE_MS = 5_000;
const OUTPUT_GRACE_MS = 200;
const PARTIAL_LINE_MS = 250;

export type StageScope = {
  readonly log: BuildLog;
  readonly environment: NodeJS.ProcessEnv;
  readonly variables: Readonly<Record<string, string>>;
  readonly facts: ReleaseFacts;
  /** The real path of the folder in which the command runs. */
  readonly root: string;
  /** Identifies the processes of this build. */
  readonly marker: string;
  readonly timeouts: Readonly<Record<"install_seconds" | "build_seconds", number>>;
  /** Aborted when the user interrupts the build. */
  readonly signal: AbortSignal;
};

/** Why a build ends early. */
export type EarlyEnd =
  | { readonly kind: "failed"; readonly failure: DeploymentFailure }
  | { readonly kind: "interrupted" };
export type StageEnd = EarlyEnd | { readonly kind: "succeeded" };

/** Runs the install or the build command like an agent does. No process of it stays. */
export async function runStage(
  scope: StageScope,
  stage: "install" | "build",
  line: string,
): Promise<StageEnd> {
  const { log, root, marker, signal } = scope;
  log.system(stage, `running ${line}`);
  const startedAt = performance.now();
  const seconds = scope.timeouts[`${stage}_seconds`];
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), seconds * 1000);
  const environment = projectEnvironment(scope.environment, marker, null, scope.variables);
  const output = createTailedOutput(
    {
      line: (stream, text) => log.line(stream, stage, text),
      room: () => null,
      mask: (text) => text,
    },
    PARTIAL_LINE_MS,
  );
  const { end } = await runProcess(shellCommand(line, root, environment, scope.facts), {
    output: output.sink,
    channel: { kind: "pipes" },
    ledger: killedAtExit(marker),
    signal: AbortSignal.any([signal, timeout.signal]),
    leftovers: "kill",
    stopGraceMs: STOP_GRACE_MS,
    outputGraceMs: OUTPUT_GRACE_MS,
  });
  clearTimeout(timer);
  output.end();
  // A daemon leaves its process group when it starts.
  await killProcessesOfRun(marker);
  const ms = Math.round(performance.now() - startedAt);
  log.system(stage, `the ${stage} command ${describeEnd(end)} (${ms} ms)`);
  if (hasSucceeded(end)) return { kind: "succeeded" };
  if (signal.aborted) return { kind: "interrupted" };
  const ran: CommandEnd = { end, stderrTail: output.stderrTail, outputTail: output.outputTail };
  const failure =
    end.kind === "stopped"
      ? timeoutFailure(stage, seconds, ran)
      : await commandFailure(root, stage, ran, { release: scope.facts.release, folder: root });
  return { kind: "failed", failure };
}

/** Kills the command's processes if this process ends first, as after a second Ctrl-C. */
function killedAtExit(marker: string): GroupLedger {
  const kills = new Map<number, () => void>();
  return {
    opened({ pid }) {
      const kill = () => {
        signalGroup(pid, "SIGKILL");
        for (const left of processesOfRun(marker)) sendSignal(left, "SIGKILL");
      };
      kills.set(pid, kill);
      // Before the temporary folder is deleted, which the command may still write to.
      process.prependListener("exit", kill);
    },
    closed({ pid }) {
      process.off("exit", kills.get(pid) ?? (() => undefined));
    },
  };
}
