/** The paths of the dashboard: one page for all paths below the root, and files with a content hash in their names. */
export const dashboardPaths = { root: "/app", page: "/app/*", files: "/app/assets/:file" } as const;

/**
 * The URL of a sign-in link. The code is in the fragment, because browsers do not send the fragment to servers.
 * @param origin of the installation, without a trailing slash
 */
export function signInLink(origin: string, code: string): string {
  return `${origin}${dashboardPaths.root}/sign-in#code=${code}`;
}
