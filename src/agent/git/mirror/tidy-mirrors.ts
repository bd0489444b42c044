import { gitEnvironment } from "#agent/git/commands/git-environment.ts";
import { packMirror } from "#agent/git/commands/git.ts";
import { runCommand } from "#agent/step/run-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { hasManyPacks, listMirrors } from "#agent/git/mirror/mirror.ts";

const LONGEST_SECONDS = 600;

/**
 * Packs a mirror that has many packs into one, after the result is reported.
 * @param wanted ends the packing: other work for the project is more urgent
 */
export async function tidyMirrors(scope: RunScope, wanted: AbortSignal): Promise<void> {
  const limit = startLimit(LONGEST_SECONDS, scope.interrupt);
  const signal = AbortSignal.any([limit.signal, wanted]);
  for (const gitDir of await listMirrors(scope.folder)) {
    if (signal.aborted || !(await hasManyPacks(gitDir))) continue;
    const place = {
      gitDir,
      remote: null,
      uploadPack: null,
      isConfined: true,
      env: gitEnvironment(scope.context.environment, scope.marker),
    };
    await runCommand(scope, packMirror(place), {
      stage: "end",
      signal,
      leftovers: "kill",
      stdout: "capture",
      isQuiet: true,
    });
  }
  limit.clear();
}
