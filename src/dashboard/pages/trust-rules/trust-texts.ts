import type { TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import type { LimitKind } from "#dashboard/pages/trust-rules/trust-draft.ts";

export const limitLabels: Readonly<Record<LimitKind, string>> = {
  branch: "Branch",
  tag: "Tag",
  environment: "Environment",
};

/** What a rule's subject is the id of. */
export const subjectLabels: Readonly<Record<TrustProvider, string>> = {
  github: "Repository ID",
  gitlab: "Project ID",
  circleci: "Project ID",
  buildkite: "Pipeline ID",
  bitbucket: "Repository UUID",
  other: "Subject",
};

/** Where people find the id of a repository or pipeline. */
export const subjectHints: Readonly<Record<TrustProvider, string>> = {
  github: "gh api repos/OWNER/NAME --jq .id prints it.",
  gitlab: "From the menu ⋮ of the project's page.",
  circleci: "From Project Settings, Overview.",
  buildkite: "From the settings of the pipeline.",
  bitbucket: "With its braces, from Repository settings, OpenID Connect.",
  other: "What the tokens have in sub.",
};
