import { Page } from "#dashboard/shared/page.tsx";
import { pathTo } from "#dashboard/router/route.ts";

export function NotFound() {
  return (
    <Page title="Not found">
      <p>
        This page does not exist. <a href={pathTo({ page: "overview" })}>All projects</a>
      </p>
    </Page>
  );
}
