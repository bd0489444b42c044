import { join } from "node:path";

import { appRoutes, type AppRoutesOptions } from "#agent/ingress/caddy/app-routes.ts";
import { fileRoutes } from "#agent/ingress/caddy/file-routes.ts";
import { heldFilesRoute, holdRoute } from "#agent/ingress/caddy/hold-route.ts";
import { answer, contentOf, hasFile, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import { MAINTENANCE_RETRY_SECONDS } from "#agent/ingress/page.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { SiteFile } from "#agent/ingress/site-file.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The site of a project. */
export type NamedSite = { readonly project: ProjectId; readonly site: SiteFile };

export type IngressPlaces = { readonly home: string; readonly slots: string };

/** The names of anything that this server answers for. */
type Names = {
  readonly site: { readonly domain: string; readonly aliases: readonly SiteFile["aliases"][number][] };
};

/** All host names of a site. */
export function namesOf({ site }: Names): string[] {
  return [site.domain, ...site.aliases.map(({ domain }) => domain)];
}

/** The names at which a site answers itself, and the names that redirect to its domain. */
function splitNames({ site }: Names): { readonly answering: string[]; readonly redirecting: string[] } {
  const namesThat = (redirect: boolean) =>
    site.aliases.filter((alias) => alias.redirect === redirect).map(({ domain }) => domain);
  return { answering: [site.domain, ...namesThat(false)], redirecting: namesThat(true) };
}

/** Leads the names of a site to its routes, and its other names to its domain. */
export function namedRoutes(
  named: Names,
  settings: IngressSettings,
  routes: readonly CaddyRoute[],
): CaddyRoute[] {
  const { answering, redirecting } = splitNames(named);
  const { domain } = named.site;
  const origin = settings.listen === undefined ? `https://${domain}${portOf(settings)}` : `//${domain}`;
  return [
    { match: [{ host: answering }], handle: [{ handler: "subroute", routes }], terminal: true },
    ...(redirecting.length === 0 ? [] : [redirectTo(origin, redirecting, 301)]),
  ];
}

/** What visitors of a site get, also behind a balancer. */
export function visitorRoutes(
  named: NamedSite,
  places: IngressPlaces,
  { check }: Pick<IngressSettings, "check">,
  from: AppRoutesOptions["from"],
): CaddyRoute[] {
  const files = slotFiles(places.slots, named.project);
  const maintenance: CaddyRoute = {
    match: [hasFile(files.folder, "maintenance")],
    handle: answer(503, contentOf(files.maintenance), { "Retry-After": String(MAINTENANCE_RETRY_SECONDS) }),
    terminal: true,
  };
  return [
    holdRoute(files),
    maintenance,
    ...(named.site.content.kind === "files" ? [heldFilesRoute(check)] : []),
    ...contentRoutes(named, places, { from }),
  ];
}

/** For the agent: without TLS, redirects, pauses and maintenance. */
export function checkRoute(named: NamedSite, places: IngressPlaces): CaddyRoute {
  return {
    match: [{ host: namesOf(named) }],
    handle: [{ handler: "subroute", routes: contentRoutes(named, places, { from: "agent" }) }],
    terminal: true,
  };
}

function contentRoutes(
  { project, site }: NamedSite,
  { home, slots }: IngressPlaces,
  options: Pick<AppRoutesOptions, "from">,
): CaddyRoute[] {
  const files = slotFiles(slots, project);
  const folder = projectFolder(home, project);
  const { assets } = folder;
  switch (site.content.kind) {
    case "app":
      return appRoutes(files, { ...options, assets });
    case "files": {
      const { directory, sources, rule_sets: ruleSets = {} } = site.content;
      const { current, served: servedPath } = folder;
      const fallbackRoot = join(current, directory);
      return fileRoutes(files, {
        fallbackRoot,
        servedPath,
        showsSources: sources === true,
        ruleSets,
        assets,
      });
    }
  }
}

/** The port in addresses that lead to HTTPS. */
export function portOf({ https_port }: IngressSettings): string {
  return https_port === 443 ? "" : `:${https_port}`;
}

export function redirectTo(origin: string, hosts: readonly string[], status: number): CaddyRoute {
  return {
    match: [{ host: hosts }],
    handle: [
      {
        handler: "static_response",
        status_code: status,
        headers: { Location: [`${origin}{http.request.uri}`] },
      },
    ],
    terminal: true,
  };
}
