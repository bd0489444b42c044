import { rolesOf } from "#project-files/compose/roles.ts";
import type { TreeCompose } from "#project-files/frameworks/tree.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";
import { withControlsShown } from "#contract/log-text.ts";

/** Why a repository with a Compose file alone is not deployed, and what to do. */
export function composeProblem({ path, read }: TreeCompose): FileProblem {
  if (!read.ok) return read.problem;
  const { services } = read.value;
  const { image, pulled, processes, others, databases, proxies, foreign } = rolesOf(services, "");
  return {
    message: `${path} defines ${listed(services, 10)}, and Gantry does not run Compose files`,
    hint: [
      image === null
        ? pulled === null
          ? "No service is built from a Dockerfile of this repository."
          : `Run \`gantry import compose\`: it prints the command for a project that runs ${listed(processes)} from ${cut(pulled.repository, 60)}.`
        : `Run \`gantry import compose\`: it prints the gantry.json that builds ${listed(processes)} from ${cut(image.path, 40)}.`,
      ...(databases.length === 0
        ? []
        : [`Gantry runs no databases (${listed(databases)}): use one on a server, or elsewhere.`]),
      ...(proxies.length === 0 ? [] : [`Its ingress does the work of ${listed(proxies)}.`]),
      ...(foreign.length + others.length === 0
        ? []
        : [`Make projects of their own of ${listed([...others, ...foreign])}.`]),
    ].join(" "),
  };
}

/** So many that the hint fits into a failure. */
const MOST_NAMED = 3;
const MAX_NAME = 16;

function listed(all: readonly { readonly name: string }[], most = MOST_NAMED): string {
  const names = all.slice(0, most).map(({ name }) => cut(name, MAX_NAME));
  return all.length > most ? `${names.join(", ")} and ${all.length - most} more` : names.join(", ");
}

/** On one line, because it is part of a message. */
function cut(text: string, length: number): string {
  const line = withControlsShown(text).replaceAll("\n", "\\n");
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
