import { readLogEnd } from "#agent/apps/read-log-end.ts";
import { readNote } from "#agent/apps/instance-notes.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { MAX_LAST_OUTPUT } from "#contract/endpoints/processes/schemas.ts";
import { createMask } from "#contract/mask.ts";

/** Remembers the last lines that an instance printed, because it has just ended. */
export async function keepLastOutput(
  context: AgentContext,
  folder: ProjectFolder,
  name: string,
): Promise<void> {
  const note = readNote(folder, name);
  if (note === null) return;
  const opened = await openReleaseVariables(folder, context.sealKey, folder.id, note.release);
  // Without the secrets their values could not be recognized.
  if (!opened.ok) return;
  const mask = maskSecrets(opened.value.secretValues, createMask());
  const output = mask(await readLogEnd(folder, name, MAX_LAST_OUTPUT));
  context.apps.of(folder.id).lastOutput.set(name, output.slice(-MAX_LAST_OUTPUT).toWellFormed());
}
