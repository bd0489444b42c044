import type { LocalProject } from "#cli/builds/find-local-project.ts";
import type { CommandContext } from "#cli/context.ts";
import type { Result } from "#cli/outcome.ts";
import { readEnvFile } from "#cli/variables/read-env-file.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * The variables of a build: its project's plain variables, and the variables of a .env file, which take precedence.
 * Only the server can open the secrets that builds get, so a note names the secrets that the file lacks.
 */
export async function readBuildVariables(
  context: CommandContext,
  project: LocalProject | null,
  envFile: string | null,
): Promise<Result<Readonly<Record<string, string>>>> {
  const entries = envFile === null ? succeed([]) : await readEnvFile(context, envFile);
  if (!entries.ok) return entries;
  const variables: Record<string, string> = {};
  for (const each of project?.variables ?? []) if (!each.secret) variables[each.name] = each.value;
  for (const { name, value } of entries.value) variables[name] = value;
  const lacking = (project?.variables ?? []).filter(
    (each) => each.secret && each.build && !Object.hasOwn(variables, each.name),
  );
  if (lacking.length > 0)
    context.output.note(
      `Only the server can open these secrets of builds: ${lacking.map(({ name }) => name).join(", ")}. Pass values with --env-file.`,
    );
  return succeed(variables);
}
