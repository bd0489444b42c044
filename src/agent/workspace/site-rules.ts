import { createHash } from "node:crypto";

import * as z from "zod/mini";

import { TrailingSlash } from "#contract/endpoints/projects/settings.ts";
import { HeaderRules, RedirectRules } from "#build/site-rules/rule-schemas.ts";
import { ShownFile } from "#contract/git-names.ts";

import "#contract/issue-messages.ts";

/**
 * How the files of a static site are served. Decided when the release is made, and stored in its record, so that a
 * rollback brings back the rules too. `fallback`: the file that answers for pages that do not exist, with status 200.
 */
export const SiteRules = z.object({
  trailing_slash: TrailingSlash,
  fallback: z.nullable(ShownFile),
  /** The lines of `_redirects`, in their order. */
  redirects: z.optional(RedirectRules),
  /** The paths of `_headers`, in their order. */
  headers: z.optional(HeaderRules),
});
export type SiteRules = z.infer<typeof SiteRules>;

/** The rules of a release whose record has none. */
export const defaultRules: SiteRules = { trailing_slash: "auto", fallback: null };

/** The rules of a site's releases by their ids. The default rules are not among them. */
export const RuleSets = z.record(z.string().check(z.regex(/^[0-9a-f]{12}$/)), SiteRules);
export type RuleSets = z.infer<typeof RuleSets>;

/** The id of the default rules, which each site has. */
export const DEFAULT_RULES = "default";

/** A short name for rules. Equal rules have equal ids. */
export function rulesId(rules: SiteRules): string {
  const text = canonical(rules);
  if (text === canonical(defaultRules)) return DEFAULT_RULES;
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** The parsed object has its keys in the order of the schema. */
function canonical(rules: SiteRules): string {
  return JSON.stringify(SiteRules.parse(rules));
}
