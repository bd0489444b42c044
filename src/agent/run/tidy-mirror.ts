import { gitEnvironment } from "#agent/commands/environment.ts";
import { packMirror } from "#agent/commands/git.ts";
import { runCommand } from "#agent/run/run-command.ts";
import type { RunScope } from "#agent/run/run-scope.ts";
import { startLimit } from "#agent/run/stage-limit.ts";
import { hasManyPacks } from "#agent/workspace/mirror.ts";

const LONGEST_SECONDS = 600;

/** Once in a while, after the result is reported, makes one pack of the many that the fetches have left. Never throws. */
export async function tidyMirror(scope: RunScope): Promise<void> {
  const gitDir = scope.folder.mirrors.sha1;
  if (!(await hasManyPacks(gitDir))) return;
  const place = {
    gitDir,
    remote: null,
    allowLocal: false,
    isConfined: true,
    env: gitEnvironment(scope.context.environment, scope.marker),
  };
  const limit = startLimit(LONGEST_SECONDS, scope.interrupt);
  await runCommand(scope, packMirror(place, scope.folder.root), {
    stage: "end",
    signal: limit.signal,
    leftovers: "kill",
    stdout: "capture",
    isQuiet: true,
  });
  limit.clear();
}
