import { dashboardPages } from "#contract/dashboard-pages.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import type { Services } from "#worker/context.ts";

/** The page to which providers send the browser back. */
export function redirectUri({ origin }: Pick<Services, "origin">): string {
  return dashboardPage(origin, `/${dashboardPages.sign_in_callback}`);
}
