/** The public paths of the agent: the installer, and the file that it downloads. */
export const agentFilePaths = { installer: "/install.sh", agent: "/agent/:file" } as const;

/** The command that downloads the installer. Piped to a shell, it installs or updates the agent. */
export function installCommand(origin: string): string {
  return `curl -fsSL ${origin}${agentFilePaths.installer}`;
}
