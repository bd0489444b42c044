import { rmSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { attempt } from "#node/attempt.ts";

/** A temporary folder of one command. */
export type WorkFolder = {
  readonly path: string;
  /** Where the release is, as on a server. */
  readonly release: string;
  /** Leaves the folder when the command ends. */
  keep(): void;
};

/** Creates a temporary folder, which is deleted when this process ends. */
export async function createWorkFolder(): Promise<Result<WorkFolder>> {
  let path: string;
  try {
    path = await realpath(await mkdtemp(join(tmpdir(), "gantry-build-")));
  } catch (error) {
    return stop("unwritable_file", `No temporary folder can be created: ${messageOf(error)}.`);
  }
  // At the exit, which a second Ctrl-C and a closed pipe cause without any other code being run.
  const remove = () =>
    attempt(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }), undefined);
  process.on("exit", remove);
  return succeed({
    path,
    release: join(path, "releases", "0"),
    keep: () => void process.off("exit", remove),
  });
}
