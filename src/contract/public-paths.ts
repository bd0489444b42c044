/** The paths of the dashboard: one page for all paths below the root, and files with a content hash in their names. */
export const dashboardPaths = { root: "/app", page: "/app/*", files: "/app/assets/:file" } as const;

/**
 * The URL of a sign-in link. The code is in the fragment, because browsers do not send the fragment to servers.
 * @param origin of the installation, without a trailing slash
 */
export function signInLink(origin: string, code: string): string {
  return `${origin}${dashboardPaths.root}/sign-in#code=${code}`;
}

/** The URL of a page of the dashboard. @param page its path below the root, such as `/servers` */
export function dashboardPage(origin: string, page: string): string {
  return `${origin}${dashboardPaths.root}${page}`;
}

/** The URL of the dashboard page with a project's deploy key, and the steps to add it to a repository. */
export function repositoryPage(origin: string, projectId: string): string {
  return dashboardPage(origin, `/projects/${projectId}/repository`);
}

/** The public paths of the agent: the installer, and the file that it downloads. */
export const agentFilePaths = { installer: "/install.sh", agent: "/agent/:file" } as const;

/** The public path of the npm package of the command, as `npx` and `npm install` take it. */
export const COMMAND_PACKAGE_PATH = "/gantry.tgz";

/** The command that downloads the installer. Piped to a shell, it installs or updates the agent. */
export function installCommand(origin: string): string {
  return `curl -fsSL ${origin}${agentFilePaths.installer}`;
}

/** The public paths of the reference and the guides. They are static files, so they are not in the endpoint table. */
export const referencePaths = ["/v1/openapi.json", "/docs/*"] as const;

/** The file with the page for unknown paths. It is served at the unknown path, with the status 404. */
export const MISSING_PAGE = "/docs/not-found";

/** Whether a path is the root or below it. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** The path of the contact for vulnerability reports. Source: RFC 9116. */
export const SECURITY_TEXT_PATH = "/.well-known/security.txt";

/** A contact in the form of RFC 9116: the URI of a mail address, a page or a telephone number. */
export const SECURITY_CONTACT = /^(?:mailto:[!-~]+@[!-~]+|https:\/\/[!-~]+|tel:\+?[0-9.()-]+)$/;
