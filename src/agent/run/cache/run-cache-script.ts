import { projectEnvironment } from "#build/commands/environment.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import { runCommand } from "#agent/step/run-command.ts";
import { projectUser } from "#agent/isolation/project-user.ts";
import type { RunScope } from "#agent/step/run-scope.ts";

/** The place of each script in the name of its unit, after those of the install and the build command. */
const unitNumbers = { restoreDependencies: 3, storeDependencies: 4, restoreBuild: 5, storeBuild: 6 } as const;

export type CacheScript = {
  readonly name: keyof typeof unitNumbers;
  readonly stage: "install" | "build";
  readonly script: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
};

export type CacheScriptEnd =
  /** `words`: of the line that the script has printed. */
  | { readonly kind: "done"; readonly words: readonly string[]; readonly seconds: string }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Runs a script that copies files between the new release and the project's cache, as the user who made them. With
 * isolation, only these scripts see the cache: a command of the project does not.
 */
export async function runCacheScript(
  scope: RunScope,
  { name, stage, script, args, signal }: CacheScript,
): Promise<CacheScriptEnd> {
  const { context, order } = scope;
  const startedAt = context.clock.monotonic();
  const env = projectEnvironment(
    context.environment,
    scope.marker,
    projectUser(scope.context, scope.folder),
    { LC_ALL: "C" },
  );
  const command = { argv: ["sh", "-c", script, "sh", ...args], cwd: "/", env } as const;
  const ran = await runCommand(scope, command, {
    stage,
    signal,
    leftovers: "kill",
    stdout: "capture",
    isQuiet: true,
    unit: {
      kind: "cache",
      version: order.version,
      number: unitNumbers[name],
      limits: unitLimits("build", scope.limits ?? {}, context.policy),
    },
  });
  const seconds = ((context.clock.monotonic() - startedAt) / 1000).toFixed(1);
  if (hasSucceeded(ran.end)) return { kind: "done", words: ran.stdout.trim().split(" "), seconds };
  const [lastLine = ""] = ran.stderrTail.trim().split("\n").slice(-1);
  return {
    kind: "failed",
    reason: `the copy ${describeEnd(ran.end)}${lastLine === "" ? "" : `: ${lastLine}`}`,
  };
}
