/** A path whose last part has an extension, such as `.js`, but not only digits, as in `v1.2`. */
export const FILE_NAME = /\/[^/]*\.[0-9]*[A-Za-z][A-Za-z0-9]*$/;

/** Programs ask here whether a site supports something, and take a page for an answer. */
export const WELL_KNOWN = /^\/\.well-known(?:\/|$)/;

/** What a request accepts if a page can answer it. */
export const ACCEPTS_PAGE = /text\/html|\*\/\*/;

/**
 * Whether the fallback of a single-page app answers a request whose file is missing: what a browser can navigate to, but no
 * script or picture, which must stay missing.
 * @param path decoded @param accept the header; undefined without one
 */
export function answersWithFallback(path: string, accept: string | undefined): boolean {
  if (FILE_NAME.test(path) || WELL_KNOWN.test(path)) return false;
  return accept === undefined || ACCEPTS_PAGE.test(accept);
}

/** A path in an address. */
export function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
