/** Where an installation serves its dashboard: one page for all addresses below it, and files whose names change with them. */
export const dashboardPaths = { root: "/app", page: "/app/*", files: "/app/assets/:file" } as const;

/**
 * The address of a sign-in link. The code stands in the fragment, which no browser sends to any server.
 * @param origin of the installation, without a slash at its end
 */
export function signInLink(origin: string, code: string): string {
  return `${origin}${dashboardPaths.root}/sign-in#code=${code}`;
}
