import { join } from "node:path";

import { appRoutes, type AppRoutesOptions } from "#agent/ingress/caddy/app-routes.ts";
import { fileRoutes } from "#agent/ingress/caddy/file-routes.ts";
import { heldFilesRoute, holdRoute } from "#agent/ingress/caddy/hold-route.ts";
import { readyRoutes } from "#agent/ingress/caddy/ready-routes.ts";
import { answer, answerPage, contentOf, hasFile, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import { rulesRoutes } from "#agent/ingress/caddy/rules-route.ts";
import { TYPES, typesRoute } from "#agent/ingress/caddy/types-route.ts";
import { certificates } from "#agent/ingress/caddy/certificates.ts";
import { ingressPages, MAINTENANCE_RETRY_SECONDS, pageOf } from "#agent/ingress/page.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { SiteFile } from "#agent/ingress/site-file.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The site of a project. */
export type NamedSite = { readonly project: ProjectId; readonly site: SiteFile };

export type IngressPlaces = { readonly home: string; readonly slots: string };

/** How long requests may take that began before a change of the configuration, or before Caddy was asked to end. */
const GRACE_PERIOD = "5m";

const UNKNOWN = answer(404, pageOf("No site", "There is no site at this address."));
const ERRORS: readonly CaddyRoute[] = [
  {
    match: [{ vars: { "{http.error.status_code}": ["502", "503", "504"] } }],
    handle: answerPage(ingressPages.down),
  },
  {
    handle: answer("{http.error.status_code}", pageOf("Error", "This page cannot be shown.")),
  },
];

/**
 * Caddy's whole configuration. It names files for everything that a deployment changes, because each change of the
 * configuration itself costs requests.
 */
export function caddyConfig(
  sites: readonly NamedSite[],
  places: IngressPlaces,
  settings: IngressSettings,
): Record<string, unknown> {
  const listen = settings.listen;
  const withTls = listen === undefined;
  const rules = rulesRoutes(sites.map(({ site }) => site.content));
  const named = sites.length === 0 ? {} : { named_routes: { ...rules, [TYPES]: typesRoute } };
  return {
    admin: { listen: socketAddress(settings.admin), origins: ["gantry"], config: { persist: false } },
    // The agent checks every few seconds whether Caddy answers, which is not worth a line.
    logging: { logs: { default: { level: "INFO", exclude: ["admin.api"] } } },
    apps: {
      http: {
        http_port: settings.http_port,
        https_port: settings.https_port,
        grace_period: GRACE_PERIOD,
        servers: {
          sites: {
            listen: [listen ?? `:${settings.https_port}`],
            routes: [
              ...readyRoutes(places.slots),
              ...sites.flatMap((site) => siteRoutes(site, places, settings)),
              { handle: UNKNOWN },
            ],
            errors: { routes: ERRORS },
            ...named,
            automatic_https: withTls ? { disable_redirects: true } : { disable: true },
            ...trustedProxies(settings),
          },
          ...(withTls ? { redirects: redirects(sites, places, settings) } : {}),
          check: {
            listen: [socketAddress(settings.check)],
            routes: [...sites.map((site) => checkRoute(site, places)), { handle: UNKNOWN }],
            errors: { routes: ERRORS },
            ...named,
            automatic_https: { disable: true },
          },
        },
      },
      ...(withTls ? certificates(sites.flatMap(namesOf), settings) : {}),
    },
  };
}

/**
 * Who may say by `X-Forwarded-*` who the visitor is. A visitor can send such a header through a load balancer, which adds
 * the address that it has seen: so the last address counts that is not of a balancer.
 */
function trustedProxies({ listen, trust }: IngressSettings): Record<string, unknown> {
  const ranges = [...(listen === undefined ? [] : ["127.0.0.0/8", "::1/128"]), ...trust];
  if (ranges.length === 0) return {};
  return {
    trusted_proxies: { source: "static", ranges },
    ...(trust.length === 0 ? {} : { trusted_proxies_strict: 1 }),
  };
}

/** A socket for Caddy's own user and group, which is the agent's. */
function socketAddress(path: string): string {
  return `unix/${path}|0660`;
}

/** All host names of a site. */
export function namesOf({ site }: NamedSite): string[] {
  return [site.domain, ...site.aliases.map(({ domain }) => domain)];
}

function siteRoutes(named: NamedSite, places: IngressPlaces, settings: IngressSettings): CaddyRoute[] {
  const withTls = settings.listen === undefined;
  const { site, project } = named;
  const files = slotFiles(places.slots, project);
  const namesThat = (redirect: boolean) =>
    site.aliases.filter((alias) => alias.redirect === redirect).map(({ domain }) => domain);
  const redirecting = namesThat(true);
  const maintenance: CaddyRoute = {
    match: [hasFile(files.folder, "maintenance")],
    handle: answer(503, contentOf(files.maintenance), { "Retry-After": String(MAINTENANCE_RETRY_SECONDS) }),
    terminal: true,
  };
  const origin = withTls ? `https://${site.domain}${portOf(settings)}` : `//${site.domain}`;
  return [
    {
      match: [{ host: [site.domain, ...namesThat(false)] }],
      handle: [
        {
          handler: "subroute",
          routes: [
            holdRoute(files),
            maintenance,
            ...(site.content.kind === "files" ? [heldFilesRoute(settings.check)] : []),
            ...contentRoutes(named, places, { from: settings.trust.length === 0 ? "visitors" : "balancers" }),
          ],
        },
      ],
      terminal: true,
    },
    ...(redirecting.length === 0 ? [] : [redirectTo(origin, redirecting, 301)]),
  ];
}

/** For the agent: without TLS, redirects, pauses and maintenance. */
function checkRoute(named: NamedSite, places: IngressPlaces): CaddyRoute {
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

/**
 * Plain HTTP leads to HTTPS, except for the ready URL, and for the requests of a certificate's issuer, which Caddy answers
 * before this.
 */
function redirects(
  sites: readonly NamedSite[],
  { slots }: IngressPlaces,
  settings: IngressSettings,
): Record<string, unknown> {
  const hosts = sites.flatMap(namesOf);
  const toHttps: CaddyRoute = redirectTo(`https://{http.request.host}${portOf(settings)}`, hosts, 308);
  return {
    listen: [`:${settings.http_port}`],
    routes: [...readyRoutes(slots), ...(hosts.length === 0 ? [] : [toHttps]), { handle: UNKNOWN }],
    automatic_https: { disable: true },
  };
}

/** The port in addresses that lead to HTTPS. */
function portOf({ https_port }: IngressSettings): string {
  return https_port === 443 ? "" : `:${https_port}`;
}

function redirectTo(origin: string, hosts: readonly string[], status: number): CaddyRoute {
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
