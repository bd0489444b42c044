import { defaultRules, rulesId, type SiteRules } from "#agent/workspace/site-rules.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";

/**
 * A line for the log of a run that serves a kept release again, whose files are served by other rules than those of the
 * release before; null: by the same rules.
 */
export function describeRulesBack(release: Release, before: Release | null): string | null {
  if (before === null || release.published === false) return null;
  const [now, then] = [release.site_rules ?? defaultRules, before.site_rules ?? defaultRules];
  if (rulesId(now) === rulesId(then)) return null;
  const what = parts.filter(({ of }) => JSON.stringify(of(now)) !== JSON.stringify(of(then)));
  return `the rules of this release are back: ${what.map(({ name }) => name).join(", ")}`;
}

const parts: readonly { readonly name: string; readonly of: (rules: SiteRules) => unknown }[] = [
  { name: REDIRECTS_FILE, of: ({ redirects = [] }) => redirects },
  { name: HEADERS_FILE, of: ({ headers = [] }) => headers },
  { name: "trailing_slash", of: ({ trailing_slash }) => trailing_slash },
  { name: "fallback", of: ({ fallback }) => fallback },
];
