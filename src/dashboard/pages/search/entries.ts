import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { pathTo, type Section, sections } from "#dashboard/router/route.ts";
import { titleOf } from "#dashboard/shared/status.tsx";
import { deploymentState } from "#dashboard/text/labels.ts";

/** Something that the search finds, and the address that it leads to. */
export type Entry = {
  readonly kind: "Page" | "Project" | "Deployment" | "Server" | "Command";
  readonly label: string;
  /** What else it is found by, and tells equal labels apart. */
  readonly hint: string;
  readonly href: string;
};

export type Searched = {
  readonly projects: readonly ProjectRow[];
  readonly servers: readonly ServerRow[];
  /** Newest first. */
  readonly deployments: readonly Deployment[];
  /** What the caller may use. */
  readonly isShown: (section: Section) => boolean;
  readonly mayAdd: boolean;
  readonly mayDeploy: (id: ProjectId) => boolean;
};

/** The fragment of a project's address that opens its dialog *Deploy*. */
export const DEPLOY_FRAGMENT = "#deploy";

const projectPages = [
  ["processes", "Processes"],
  ["variables", "Variables"],
  ["commands", "Commands"],
  ["pushes", "Pushes"],
  ["project_charts", "Charts"],
  ["settings", "Settings"],
  ["settings_domains", "Domains"],
] as const;

const addProject: Entry = {
  kind: "Command",
  label: "Add a project",
  hint: "",
  href: pathTo({ page: "new_project" }),
};

/** Everything that can be found, the most wanted first. */
export function entriesOf(searched: Searched): readonly Entry[] {
  const { projects, servers, deployments, isShown, mayAdd, mayDeploy } = searched;
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return [
    ...projects.map(({ id, name, domain }): Entry => ({
      kind: "Project",
      label: name,
      hint: domain,
      href: pathTo({ page: "project", id }),
    })),
    ...[...sections()]
      .filter(([label]) => isShown(label))
      .map(([label, href]): Entry => ({ kind: "Page", label, hint: "", href })),
    { kind: "Page", label: "Account", hint: "", href: pathTo({ page: "account" }) },
    {
      kind: "Page",
      label: "Profile",
      hint: "passkeys, sessions, personal tokens",
      href: pathTo({ page: "profile" }),
    },
    ...(mayAdd ? [addProject] : []),
    ...projects
      .filter(({ id }) => mayDeploy(id))
      .map(({ id, name }): Entry => ({
        kind: "Command",
        label: `Deploy ${name}`,
        hint: "",
        href: `${pathTo({ page: "project", id })}${DEPLOY_FRAGMENT}`,
      })),
    ...projects.flatMap(({ id, name }) =>
      projectPages.map(([page, title]): Entry => ({
        kind: "Page",
        label: `${title} of ${name}`,
        hint: "",
        href: pathTo({ page, id }),
      })),
    ),
    ...servers.map(({ name, ip }): Entry => ({
      kind: "Server",
      label: name,
      hint: ip,
      href: pathTo({ page: "servers" }),
    })),
    ...deployments.map((deployment): Entry => ({
      kind: "Deployment",
      label: `v${deployment.version} of ${names.get(deployment.project_id) ?? deployment.project_id}`,
      hint: [
        deploymentState(deployment).label,
        deployment.branch,
        deployment.commit ?? "",
        titleOf(deployment.commit_message),
      ]
        .filter((part) => part !== "")
        .join(" · "),
      href: pathTo({ page: "deployment", id: deployment.id }),
    })),
  ];
}

/**
 * The entries that have all words of the query, entries whose label begins with the query first, and entries that have
 * the words apart last.
 * @param most of the entries that are returned
 */
export function search(entries: readonly Entry[], query: string, most: number): readonly Entry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const found = entries.filter(({ kind, label, hint }) => {
    const text = `${kind} ${label} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ label, hint }: Entry) => {
    const text = label.toLowerCase();
    if (text === wanted) return 0;
    if (text.startsWith(wanted)) return 1;
    if (text.includes(wanted)) return 2;
    return hint.toLowerCase().includes(wanted) ? 3 : 4;
  };
  // The sort is stable, so equal ranks keep their order.
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, most);
}
