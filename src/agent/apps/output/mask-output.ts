import { readdir } from "node:fs/promises";

import type { AgentContext } from "#agent/context/context.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { createMask, type Mask } from "#contract/mask.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { hasCode } from "#node/has-code.ts";

/**
 * Creates the mask for what an instance prints: for the secrets of its release, and all others that instances of the
 * project can have, because a deployment may have replaced the secrets that it was started with.
 * @param release `null` when it is no longer known
 * @returns an error if its secrets cannot be opened: then their values could not be recognized
 */
export async function maskForOutput(
  context: AgentContext,
  folder: ProjectFolder,
  release: number | null,
): Promise<ResultOf<Mask, { readonly message: string }>> {
  const secrets = new Set(context.apps.of(folder.id).secretValues);
  const versions = await versionsWithVariables(folder).catch(messageOf);
  if (typeof versions === "string")
    return { ok: false, message: `the variables of its releases cannot be read: ${versions}.` };
  for (const version of versions) {
    const opened = await openReleaseVariables(folder, context.sealKey, folder.id, version);
    if (opened.ok) for (const value of opened.value.secretValues) secrets.add(value);
    else if (release === null || release === version) return opened;
  }
  return { ok: true, value: maskSecrets([...secrets], createMask()) };
}

async function versionsWithVariables({ variables }: ProjectFolder): Promise<readonly number[]> {
  const files = await readdir(variables).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  return files.flatMap((file) => {
    const version = /^(\d+)\.json$/.exec(file)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
