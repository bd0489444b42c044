import {
  type CaddyHandler,
  hasAnyFile,
  type Matcher,
  matching,
  type CaddyRoute,
} from "#agent/ingress/caddy/route.ts";
import { accepts, unpacked } from "#agent/ingress/caddy/types-route.ts";
import { codings, PART } from "#agent/ingress/packed-files.ts";
import type { TrailingSlash } from "#contract/endpoints/projects/settings.ts";

const PATH = "{http.request.uri.path}";
/** The path without its final slash, without `.html`, and without `/index` or `/index.html`. */
const STEM = "{http.vars.stem}";
const BARE = "{http.vars.bare}";
const FOLDER = "{http.vars.folder}";

const endings: readonly CaddyRoute[] = [
  ["stem", "^(.+)/$"],
  ["bare", String.raw`^(.+)\.html$`],
  ["folder", String.raw`^(.+)/index(?:\.html)?$`],
].map(([name = "", pattern = ""]) => ({
  match: [{ path_regexp: { name, pattern } }],
  handle: [{ handler: "vars", [name]: `{http.regexp.${name}.1}` }],
}));

/**
 * How Caddy finds the file of a page, as `findPage` does. The path is normalized, so that each change of its end changes
 * the address, and none begins with two slashes.
 * @param serve serves the file of the path
 */
export function pageRoutes(mode: TrailingSlash, serve: readonly CaddyHandler[]): CaddyRoute[] {
  return [
    ...endings,
    ...folderRoutes(mode, serve),
    { match: [matching(/[^/]$/)], handle: [{ handler: "subroute", routes: fileRoutes(mode, serve) }] },
  ];
}

/** For paths that end with a slash. */
function folderRoutes(mode: TrailingSlash, serve: readonly CaddyHandler[]): CaddyRoute[] {
  const index = { ...matching(/\/$/), ...hasAnyFile(`${PATH}index.html`) };
  const page = { ...matching(/^\/.+\/$/), ...hasAnyFile(`${STEM}.html`) };
  switch (mode) {
    case "auto":
      return [to(index, [append("index.html"), ...serve]), to(page, redirect(strip("/")))];
    case "always":
    case "ignore":
      return [to(index, [append("index.html"), ...serve]), to(page, [strip("/"), append(".html"), ...serve])];
    case "never":
      return [
        to({ ...index, ...matching(/^\/$/) }, [append("index.html"), ...serve]),
        to(
          { ...matching(/^\/.+\/$/), ...hasAnyFile(`${STEM}.html`, `${STEM}/index.html`) },
          redirect(strip("/")),
        ),
      ];
  }
}

/** For all other paths. */
function fileRoutes(mode: TrailingSlash, serve: readonly CaddyHandler[]): CaddyRoute[] {
  const exact = hasAnyFile(PATH);
  const page = hasAnyFile(`${PATH}.html`);
  const index = hasAnyFile(`${PATH}/index.html`);
  const either = hasAnyFile(`${PATH}.html`, `${PATH}/index.html`);
  return [
    ...(mode === "ignore" ? [] : indexRedirects(mode, exact, ".html")),
    ...(mode === "ignore" ? [] : [htmlRedirect(mode, exact)]),
    to(exact, serve),
    ...(mode === "ignore" ? [] : indexRedirects(mode, page, "")),
    ...(mode === "always"
      ? [to(either, redirect(append("/")))]
      : [
          to(page, [append(".html"), ...serve]),
          to(index, mode === "auto" ? redirect(append("/")) : [append("/index.html"), ...serve]),
        ]),
    ...codings.map((coding) =>
      to(
        {
          path_regexp: { pattern: `(?i)${PART.source}` },
          ...accepts(coding),
          ...hasAnyFile(`${PATH}${coding.ending}`),
        },
        unpacked(coding, serve),
      ),
    ),
  ];
}

type Redirecting = Exclude<TrailingSlash, "ignore">;

/** From `/docs/index.html` or `/docs/index` to the address of the folder. @param file matches if the path has a file */
function indexRedirects(mode: Redirecting, file: Matcher, ending: "" | ".html"): CaddyRoute[] {
  const dot = ending.replace(".", String.raw`\.`);
  const top = { path_regexp: { pattern: `^/index${dot}$` } };
  const below = { path_regexp: { pattern: `^/.+/index${dot}$` } };
  return [
    to({ ...top, ...file }, redirect(strip(`index${ending}`))),
    mode === "never"
      ? // Otherwise another page has the folder's address.
        to({ ...below, ...file, not: [hasAnyFile(`${FOLDER}.html`)] }, redirect(strip(`/index${ending}`)))
      : to({ ...below, ...file }, redirect(strip(`index${ending}`))),
  ];
}

/** From `/about.html` to the address of the page, unless another file has this one. */
function htmlRedirect(mode: Redirecting, exact: Matcher): CaddyRoute {
  const isPage = { ...matching(/\.html$/), ...exact };
  const isIndex = matching(/\/index\.html$/);
  return mode === "always"
    ? to(
        { ...isPage, not: [isIndex, hasAnyFile(`${BARE}/index.html`)] },
        redirect(strip(".html"), append("/")),
      )
    : to({ ...isPage, not: [isIndex, hasAnyFile(BARE)] }, redirect(strip(".html")));
}

const to = (match: Matcher, handle: readonly CaddyHandler[]): CaddyRoute => ({
  match: [match],
  handle,
  terminal: true,
});

const append = (text: string): CaddyHandler => ({ handler: "rewrite", uri: `${PATH}${text}` });
const strip = (text: string): CaddyHandler => ({ handler: "rewrite", strip_path_suffix: text });

/** Not for longer than a request: the file may be another one in the next release. */
function redirect(...changes: readonly CaddyHandler[]): readonly CaddyHandler[] {
  return [
    ...changes,
    { handler: "static_response", status_code: 308, headers: { Location: ["{http.request.uri}"] } },
  ];
}
