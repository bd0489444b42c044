import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as z from "zod";

import { buildCommand } from "../../scripts/shared/build-command.ts";

/** The bundled command, as it is published, and the folder in which its processes share what V8 compiles of it. */
export const CommandShare = z.object({ program: z.string(), compileCache: z.string() });
export type CommandShare = z.infer<typeof CommandShare>;

export type SharedCommand = { readonly share: CommandShare; readonly end: () => Promise<void> };

/** Bundles the command for all test files. */
export async function buildSharedCommand(): Promise<SharedCommand> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-command-"));
  const program = join(await buildCommand(join(folder, "package")), "gantry.mjs");
  return {
    share: { program, compileCache: join(folder, "compile-cache") },
    end: async () => await rm(folder, { recursive: true, force: true }),
  };
}
