import { withHiddenShown } from "#contract/hidden-text.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { Page } from "#dashboard/shared/page.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** The most projects that are listed; the page of all projects has a search. */
const MOST_PROJECTS = 8;

/** Says which page does not exist, and links to pages that do. */
export function NotFound() {
  const projects = useProjects(ALL).value?.projects ?? [];
  return (
    <Page title="Page not found">
      <p>
        There is no page at <code>{withHiddenShown(location.pathname)}</code>. The link may be old, or the
        object that it led to was deleted.
      </p>
      <div class="actions">
        <a class="button primary" href={pathTo({ page: "overview" })}>
          All projects
        </a>
        <a class="button" href="/docs">
          Documentation
        </a>
      </div>
      {projects.length === 0 ? null : (
        <>
          <h2>Your projects</h2>
          <ul class="links">
            {projects.slice(0, MOST_PROJECTS).map(({ id, name }) => (
              <li key={id}>
                <a href={pathTo({ page: "project", id })}>{name}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}
