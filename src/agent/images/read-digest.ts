import { digestOf, manifestCommand } from "#agent/containers/image-script.ts";
import type { ImageSource } from "#agent/containers/image-source.ts";
import { type SourceFailure, sourceFailure } from "#agent/images/source-failure.ts";
import { runCommand } from "#agent/step/run-command.ts";
import type { CommandScope } from "#agent/step/run-scope.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { RUN_MARKER } from "#build/process/process-table.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** What a tag names now; or why nobody knows. `null`: the reading was stopped. */
export type DigestRead = ResultOf<string, { readonly failure: SourceFailure | null }>;

/** Asks the registry which image a tag names. */
export async function readDigest(
  scope: CommandScope,
  source: ImageSource,
  tag: string,
  signal: AbortSignal,
): Promise<DigestRead> {
  const { home, environment, engine } = scope.context;
  if (engine.kind === "missing") return failed("this server cannot run containers", engine.reason);
  const command = manifestCommand({ home, environment }, source, tag, { [RUN_MARKER]: scope.marker });
  const ran = await runCommand(scope, command, {
    ...{ stage: "fetch", signal, leftovers: "kill", stdout: "capture", isQuiet: true },
  });
  if (ran.end.kind === "stopped") return { ok: false, failure: null };
  if (hasSucceeded(ran.end)) return succeed(digestOf(ran.stdout));
  if (ran.end.kind !== "exited") return failed(`skopeo ${describeEnd(ran.end)}`, null);
  return { ok: false, failure: sourceFailure(ran.stderrTail, source, `:${tag}`) };
}

function failed(message: string, hint: string | null): DigestRead {
  return { ok: false, failure: { code: "fetch_failed", test: "failed", message, hint } };
}
