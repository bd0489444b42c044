import { isDiskFull, evidenceOf } from "#build/failure/command-failure.ts";
import { describeMissing, describeOther } from "#build/tools/describe-tool.ts";
import { findProgram } from "#build/tools/find-program.ts";
import { installAdvice } from "#build/tools/install-advice.ts";
import { provideWithMise } from "#agent/run/tools/provide-with-mise.ts";
import { provideWithNpm } from "#agent/run/tools/provide-with-npm.ts";
import type { ProvidedTool, Provider, Provision, ToolRunner } from "#agent/run/tools/tool-runner.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import { checkVersion } from "#project-files/frameworks/tools/check-version.ts";
import { programOf } from "#project-files/frameworks/tools/command-tools.ts";
import type { ToolNeed } from "#project-files/frameworks/tools/tool-needs.ts";
import { type Tool, toolTitle } from "#project-files/frameworks/tools/tool.ts";
import { succeed } from "#contract/lib/result.ts";
import { counted } from "#contract/lib/counted.ts";

/**
 * Makes sure that a build has a tool in the wanted version: the server's own if it fits, and otherwise one in the
 * agent's folder. Fails if a preset's command needs another version than the server has and can get. Logs if the version
 * differs from what `engines` or the like advises, or is a newer compatible one.
 * @param names the files of the project's root directory
 * @returns the tool in the agent's folder; `null` for the server's own, or none
 */
export async function provideTool(
  runner: ToolRunner,
  need: ToolNeed,
  names: readonly string[],
): Promise<Step<ProvidedTool | null>> {
  const { scope, stage, limit, path, projectPath } = runner;
  const { tool, requests } = need;
  const used = await findProgram(programOf(tool), projectPath);
  const own = await scope.context.tools.find(programOf(tool), path);
  // A program that only the project's PATH leads to is not asked for its version. The project has chosen it.
  const version = used?.path === own?.path ? (own?.version ?? null) : null;
  const isMissing =
    need.program === null ? used === null : (await findProgram(need.program, projectPath)) === null;
  const check = isMissing ? null : checkVersion(requests, version ?? "");
  if (check?.kind === "fits" || (tool === "npm" && check?.kind === "not_advised")) return succeed(null);
  const provision = await providerOf(tool)(runner, tool, requests);
  if (scope.interrupt.signal.aborted) return interrupted;
  if (limit.hasTimedOut) {
    const message = `installing ${toolTitle(tool)} took longer than ${counted(limit.seconds, "second")}`;
    return fail("timed_out", stage, message);
  }
  if (provision.kind === "provided") {
    const { tool: provided } = provision;
    const reason = requests[0] === undefined ? "" : `, for ${requests[0].file}`;
    scope.log.system(stage, `using ${toolTitle(tool)} ${provided.version}${reason}`);
    return succeed(provided);
  }
  const program = need.program ?? programOf(tool);
  const message =
    check === null
      ? describeMissing(program, requests, names, "this server")
      : describeOther(check.by, version ?? "none", "this server");
  if (need.program !== null && (check === null || check.kind === "differs"))
    return failWithout(runner, program, need, message, provision);
  if (check !== null) scope.log.system(stage, `${message}, which is used`);
  return succeed(null);
}

function providerOf(tool: Tool): Provider {
  if (tool === "pnpm" || tool === "yarn") return provideWithNpm;
  // npm comes with Node.
  return tool === "npm" ? () => Promise.resolve({ kind: "none" }) : provideWithMise;
}

async function failWithout(
  { scope, stage, path }: ToolRunner,
  program: string,
  { tool, requests }: ToolNeed,
  message: string,
  provision: Exclude<Provision, { kind: "provided" }>,
): Promise<Step<never>> {
  const { connection, tools, home } = scope.context;
  const hasMise = (await tools.find("mise", path)) !== null;
  if (provision.kind === "none") {
    const advice = await installAdvice({ program, tool, requests, origin: connection.url, hasMise });
    return fail("tool_missing", stage, message, undefined, advice);
  }
  const { installer, ran } = provision;
  if (await isDiskFull(home, ran.stderrTail))
    return fail(
      "disk_full",
      stage,
      `the disk is full: ${installer} could not install ${program}`,
      evidenceOf(ran),
    );
  const failed = `${message}: ${installer} could not install it`;
  return fail("tool_missing", stage, failed, evidenceOf(ran), `The log has the output of ${installer}.`);
}
