import type { ProjectId } from "#contract/ids.ts";
import { type PageRoute, pathTo } from "#dashboard/router/route.ts";
import type { SectionLink } from "#dashboard/shared/section-nav.tsx";

type ProjectPage = Extract<PageRoute, { readonly id: ProjectId }>["page"];

/** Links to pages of a project, each with its name, in the same order. */
export function projectLinks(
  pages: readonly (readonly [page: ProjectPage, name: string])[],
  id: ProjectId,
  current: ProjectPage,
): readonly SectionLink[] {
  return pages.map(([page, name]) => ({ name, href: pathTo({ page, id }), isCurrent: page === current }));
}
