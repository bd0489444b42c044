import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../../shared/root.ts";

/** The folder of the documents that are served as guides. */
export const docsFolder = join(root, "docs");

export type GuideGroup = { readonly title: string; readonly names: readonly string[] };

/** The guides in the order of the navigation, by their paths below docs/ without the suffix. */
const groups: readonly GuideGroup[] = [
  {
    title: "Get started",
    names: ["guides/first-hour", "dashboard", "command", "client", "frameworks"],
  },
  {
    title: "Frameworks",
    names: ["guides/node", "guides/rails", "guides/django", "guides/laravel", "guides/static"],
  },
  { title: "Move to Gantry", names: ["guides/kamal", "guides/docker-compose"] },
  {
    title: "Deploy",
    names: [
      "builds",
      "static-sites",
      "processes",
      "jobs",
      "pushes",
      "ci",
      "trust-rules",
      "tokens",
      "members",
      "sign-in",
      "holds",
      "configuration",
    ],
  },
  {
    title: "Git hosts",
    names: [
      "forges/github",
      "forges/gitlab",
      "forges/gitea",
      "forges/bitbucket",
      "forges/git",
      "forges/registry",
    ],
  },
  { title: "Servers", names: ["servers", "ingress", "load-balancers"] },
  { title: "Events", names: ["events", "webhooks", "notifications"] },
  { title: "Run Gantry", names: ["release", "reliability", "scaling", "request-costs", "missing"] },
];

/** Documents for people who change Gantry, and docs/api.md, which the reference replaces. */
const notServed = new Set([
  "agent-protocol",
  "api",
  "architecture",
  "benchmarks",
  "contributing",
  "decisions",
]);

/** The groups of the documents that exist. A document that no group names is in the last one. */
export async function guideGroups(): Promise<GuideGroup[]> {
  const files = await readdir(docsFolder, { recursive: true });
  const names = files
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length))
    .filter((name) => !notServed.has(name))
    .toSorted();
  const named = new Set(groups.flatMap((group) => group.names));
  const others = { title: "More", names: names.filter((name) => !named.has(name)) };
  return [...groups, others]
    .map((group) => ({ ...group, names: group.names.filter((name) => names.includes(name)) }))
    .filter((group) => group.names.length > 0);
}
