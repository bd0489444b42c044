/** Pages load and connect only to their own origin, and create no scripts from text. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Whether the client is a browser that opens an address: it gets a page instead of a problem. */
export function wantsPage({ headers }: Request): boolean {
  return headers.get("accept")?.includes("text/html") === true;
}

/**
 * A page of the dashboard or the reference, or a file of one, with the headers of pages.
 * @param status replaces the file's
 */
export function pageResponse(file: Response, status = file.status): Response {
  // The answer of the assets binding is immutable.
  const response = new Response(file.body, { status, headers: file.headers });
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
  return response;
}
