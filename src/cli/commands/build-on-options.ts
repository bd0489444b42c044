import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import type { Result } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

/** Where a project is built. */
export const buildOnOptions = {
  "build-on": {
    kind: "text",
    value: "SERVER",
    help: "Server that builds for all servers of the project, by name or ID; '' for each builds for itself",
  },
  "artifact-uploads": {
    kind: "text",
    value: "WHICH",
    choices: ["on", "off"],
    help: "Whether a deployment can bring a build that was made elsewhere, such as in CI",
  },
} as const satisfies OptionSpecs;

/** The fields of a request for the given options. */
export async function buildOnFields(
  session: Session,
  { "build-on": server, "artifact-uploads": uploads }: Options<typeof buildOnOptions>,
): Promise<Result<Pick<UpdateProjectInput, "build_on" | "artifact_uploads">>> {
  const taken = uploads === null ? {} : { artifact_uploads: uploads === "on" };
  if (server === null) return succeed(taken);
  if (server === "") return succeed({ ...taken, build_on: null });
  const found = await findServer(session, server);
  return found.ok ? succeed({ ...taken, build_on: found.value.id }) : found;
}
