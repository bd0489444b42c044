/** Where an installation serves its agent, to anybody: the installer, and the file that it fetches. */
export const agentFilePaths = { installer: "/install.sh", agent: "/agent/:file" } as const;

/** Prints the installer; a shell that reads it installs the agent, or brings it up to date. */
export function installCommand(origin: string): string {
  return `curl -fsSL ${origin}${agentFilePaths.installer}`;
}
