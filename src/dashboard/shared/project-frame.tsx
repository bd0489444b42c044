import type { ComponentChildren } from "preact";

import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { type Crumb, Page } from "#dashboard/shared/page.tsx";
import { projectLinks } from "#dashboard/shared/project-links.ts";
import { SectionNav } from "#dashboard/shared/section-nav.tsx";

/** The sections of a project, in their order, by their pages. */
const sections = [
  ["project", "Deployments"],
  ["processes", "Processes"],
  ["variables", "Variables"],
  ["commands", "Commands"],
  ["pushes", "Pushes"],
  ["project_charts", "Charts"],
  ["settings", "Settings"],
] as const;

type Props = {
  readonly id: ProjectId;
  /** The section that is marked. */
  readonly section: (typeof sections)[number][0];
  /** The page's title, such as `Settings`; omitted: the project's name. */
  readonly title?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A page of a project: where it is, the project's sections and the page itself. */
export function ProjectFrame({ id, section, title, actions, children }: Props) {
  const { value: project } = useProject(id);
  const name = project?.name ?? "Project";
  return (
    <Page
      title={title === undefined ? name : `${name} ${title.toLowerCase()}`}
      heading={title ?? name}
      crumbs={projectCrumbs(id, project?.name ?? null)}
      sections={<SectionNav label="Project" links={projectLinks(sections, id, section)} />}
      actions={actions}
    >
      {children}
    </Page>
  );
}

export const allProjects: Crumb = { name: "Projects", href: pathTo({ page: "overview" }) };

/** Where a project's pages are. @param name null: not loaded yet */
export function projectCrumbs(id: ProjectId, name: string | null): readonly Crumb[] {
  return [allProjects, { name: name ?? "Project", href: pathTo({ page: "project", id }) }];
}
