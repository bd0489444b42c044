import type { Source } from "#cli/builds/find-source.ts";
import { matchProject } from "#cli/builds/match-project.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { openSession, type Session } from "#cli/session/session.ts";
import { chooseInstallation } from "#cli/settings/choose-installation.ts";
import { variable } from "#cli/settings/variable.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/** The project whose settings a local build has. */
export type LocalProject = { readonly project: Project; readonly variables: Variables["variables"] };

type Wanted = { readonly isIgnored: boolean; readonly withVariables: boolean };

/** How long to look for a project that the user did not name. */
const LOOK_MS = 5_000;

/**
 * Finds the project of a source: the project that the user names, or else the linked project, or the only project that
 * deploys this repository. Without a sign-in or a network there is no project, unless the user names one.
 */
export async function findLocalProject(
  context: CommandContext,
  source: Source,
  { isIgnored, withVariables }: Wanted,
): Promise<Result<LocalProject | null>> {
  const { global, environment, output, signal } = context;
  if (isIgnored)
    return global.project === null ? succeed(null) : stop("usage", "Pass either --project or --no-project.");
  const isNamed = (global.project ?? variable(environment, "GANTRY_PROJECT")) !== null;
  const soon = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  const quick = { ...context, signal: soon, global: { ...global, wait: global.wait ?? "0" } };
  const installation = await chooseInstallation(isNamed ? context : quick);
  if (!installation.ok) {
    const { code } = installation.problem;
    if (isNamed || signal.aborted || code === "unreadable_file" || code === "usage") return installation;
    if (code !== "not_signed_in") noteUnknown(output, installation.problem);
    return succeed(null);
  }
  const session = openSession(isNamed ? context : quick, installation.value);
  if (!session.ok) return session;
  const isLinked = isNamed || installation.value.linkedProject !== null;
  const found = isLinked
    ? await readProject(session.value, withVariables)
    : await readMatching(session.value, source, withVariables);
  if (found.ok || isNamed || signal.aborted) return found;
  noteUnknown(output, found.problem);
  return succeed(null);
}

function noteUnknown(output: CommandContext["output"], { detail }: { readonly detail: string }): void {
  output.note(`The settings of the project are not known: ${detail} Using what is detected.`);
}

async function readProject(session: Session, withVariables: boolean): Promise<Result<LocalProject>> {
  const found = await findProject(session);
  if (!found.ok) return found;
  const project = await session.client.getProject({ params: { project_id: found.value.id } });
  return project.ok ? await withItsVariables(session, project.value, withVariables) : project;
}

async function readMatching(
  session: Session,
  source: Source,
  withVariables: boolean,
): Promise<Result<LocalProject | null>> {
  const project = await matchProject(session, source);
  if (!project.ok) return project;
  return project.value === null
    ? succeed(null)
    : await withItsVariables(session, project.value, withVariables);
}

async function withItsVariables(
  { client }: Session,
  project: Project,
  withVariables: boolean,
): Promise<Result<LocalProject>> {
  if (!withVariables) return succeed({ project, variables: [] });
  const read = await client.getVariables({ params: { project_id: project.id } });
  return read.ok ? succeed({ project, variables: read.value.variables }) : read;
}
