import { defineCommand } from "#cli/arguments/command.ts";
import { isOverSsh } from "#contract/forge.ts";
import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { done } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { findProject } from "#cli/session/find-named.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { printDeployKey } from "#cli/views/deploy-key-facts.ts";
import { printProject } from "#cli/views/project-facts.ts";
import { shellQuote } from "#node/shell-quote.ts";

export const projectsShow = defineCommand({
  name: "projects show",
  summary: "Show a project, its settings and its deploy key",
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const project = await client.getProject({ params: { project_id: found.value.id } });
    if (!project.ok) return project;
    const { deploy_key: known, repository } = project.value;
    // The server makes the key when somebody asks for it.
    const isNeeded = known === null && isOverSsh(repository);
    const deploy_key = isNeeded ? await askForKey(session, project.value.id) : known;
    printProject(output, { ...project.value, deploy_key });
    if (deploy_key !== null) printDeployKey(output, deploy_key, repository);
    noteSuggestion(output, project.value);
    return done;
  }),
});

/** Prints the command line that sets the release command of the framework, unless the project has one. */
function noteSuggestion(
  output: Output,
  { id, release_command, suggested_release_command: suggested }: Project,
): void {
  if (release_command !== null || suggested === null) return;
  output.note(
    "Projects like this one usually have a release command, which runs before each switch. To set it:",
  );
  output.note(`  gantry projects set ${id} --release-command ${shellQuote(suggested)}`);
}

/** @returns null if the server cannot answer now; a note says why */
async function askForKey(
  { client, output }: Session,
  projectId: ProjectId,
): Promise<DeployKeySummary | null> {
  const key = await client.getDeployKey({ params: { project_id: projectId } });
  if (key.ok) return { public_key: key.value.public_key, fingerprint: key.value.fingerprint };
  output.note(`The deploy key is not known yet: ${key.problem.detail}`);
  return null;
}
