import * as z from "zod/mini";

import { listUpTo } from "#contract/bounds.ts";

/** How many rules of each kind a site can have. Cloudflare Pages has the same limits. */
export const MAX_STATIC_REDIRECTS = 2000;
export const MAX_DYNAMIC_REDIRECTS = 100;
export const MAX_HEADER_RULES = 100;

/** Other statuses than these mean nothing for a rule. 200, 404 and 410 show another page at the same address. */
export const redirectStatuses = [200, 301, 302, 303, 307, 308, 404, 410] as const;

/**
 * A line of `_redirects`. `from`: a percent-encoded path in which `*` and `:name` stand for anything. `host`: only
 * requests to it. `query`: parameters that a request must have, each with its value or `:name`. `to`: a path or an
 * address, percent-encoded and without braces. `force`: also if a file is there.
 */
export const RedirectRule = z.object({
  host: z.optional(z.string()),
  from: z.string(),
  query: z.optional(z.array(z.tuple([z.string(), z.string()]))),
  to: z.string(),
  status: z.literal(redirectStatuses),
  force: z.optional(z.literal(true)),
});
export type RedirectRule = z.infer<typeof RedirectRule>;

/** A path of `_headers` with its changes in order: removes headers, then adds others. The names are in lower case. */
export const HeaderRule = z.object({
  host: z.optional(z.string()),
  from: z.string(),
  unset: z.array(z.string()),
  set: z.array(z.tuple([z.string(), z.string()])),
});
export type HeaderRule = z.infer<typeof HeaderRule>;

export const RedirectRules = listUpTo(RedirectRule, MAX_STATIC_REDIRECTS + MAX_DYNAMIC_REDIRECTS);
export const HeaderRules = listUpTo(HeaderRule, MAX_HEADER_RULES);

/** Whether a rule shows a page of the site at the address of the request, and does not redirect. */
export function isShown(status: RedirectRule["status"]): boolean {
  return status === 200 || status === 404 || status === 410;
}
