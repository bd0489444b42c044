/** What an install command can also do, by the installer's options. */
export type InstallFlag = "ingress" | "allow-commands" | "allow-cron";

/** @param command an install command without options, which ends with `sh` */
export function withInstallFlags(command: string, flags: readonly InstallFlag[]): string {
  return flags.length === 0 ? command : `${command} -s -- ${flags.map((flag) => `--${flag}`).join(" ")}`;
}
