import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { sourceFiles } from "#build/site-rules/source-files.ts";
import { PHP_PROGRAM } from "#agent/php/php-program.ts";
import { ownToolsFolder } from "#agent/workspace/tools-folder.ts";
import { PHP_SERVER } from "#project-files/frameworks/servers/php-server.ts";
import { shellQuote } from "#node/shell-quote.ts";
import { writeAtomic } from "#node/write-atomic.ts";

export type PhpProgramOptions = {
  /** Where the installer puts the ingress' Caddy. If it is missing, the one on the PATH is used. */
  readonly ingressCaddy: string;
  /** Whether PHP's development server may replace a missing PHP-FPM: on the computer of a developer. */
  readonly isLocal: boolean;
};

/** The folders of packages may have scripts that visitors must not start. */
const packageFolders = ["/vendor/*", "*/node_modules/*"];

/** The text of the program that serves PHP apps. */
function phpProgram({ ingressCaddy, isLocal }: PhpProgramOptions): string {
  const names = sourceFiles.map((name) => (name.startsWith("*") ? name : `*/${name}`));
  const sources = [...names, ...packageFolders];
  return PHP_PROGRAM.replace("@INGRESS_CADDY@", () => shellQuote(ingressCaddy))
    .replace("@IS_LOCAL@", isLocal ? "yes" : "no")
    .replace("@SOURCES@", sources.join(" "));
}

/**
 * Writes the program that serves PHP apps to where the commands of releases find it. A running instance keeps the one that
 * it was started with.
 */
export async function writePhpProgram(home: string, options: PhpProgramOptions): Promise<void> {
  const folder = ownToolsFolder(home);
  await mkdir(folder, { recursive: true });
  const path = join(folder, PHP_SERVER);
  await writeAtomic(path, phpProgram(options), { mode: 0o755 });
  // The users of projects start it, also if the agent's umask is stricter.
  await chmod(path, 0o755);
}
