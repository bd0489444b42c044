import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import { type InstallFlag, withInstallFlags } from "#contract/install-flags.ts";

/** The options of the commands that print an install command. */
export const enrollmentOptions = {
  ingress: {
    kind: "flag",
    help: "Also install the ingress, which serves the projects at their domains with TLS",
  },
  "allow-commands": { kind: "flag", help: "Also allow gantry run on the server" },
  "allow-cron": { kind: "flag", help: "Also allow cron jobs on the server" },
} as const satisfies Record<InstallFlag, unknown>;

/** The enrolment with an install command that does what the options say. */
export function withInstallOptions(
  enrollment: Enrollment,
  options: Readonly<Record<InstallFlag, boolean>>,
): Enrollment {
  const flags = (["ingress", "allow-commands", "allow-cron"] as const).filter((flag) => options[flag]);
  return { ...enrollment, command: withInstallFlags(enrollment.command, flags) };
}
