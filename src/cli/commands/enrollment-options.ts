import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";

/** The options of the commands that print an install command. */
export const enrollmentOptions = {
  ingress: {
    kind: "flag",
    help: "Also install the ingress, which serves the projects at their domains with TLS",
  },
} as const;

/** The enrolment with an install command that does what the options say. */
export function withInstallOptions(
  enrollment: Enrollment,
  { ingress }: { readonly ingress: boolean },
): Enrollment {
  const command = ingress ? enrollment.command.replace(/ sh$/, " sh -s -- --ingress") : enrollment.command;
  return { ...enrollment, command };
}
