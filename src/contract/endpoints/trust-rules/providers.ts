import * as z from "zod/mini";

import { type Growing, knownOf } from "#contract/growing.ts";

/** The system that signs the identity tokens of jobs. `other`: any issuer of OpenID Connect tokens. */
export const TrustProvider = z.enum(["github", "gitlab", "circleci", "buildkite", "bitbucket", "other"]);
export type TrustProvider = z.infer<typeof TrustProvider>;

/** The values that each claim may have, by the name of the claim. */
export type RequiredClaims = Readonly<Record<string, readonly string[]>>;

/** How a token names a branch, tag or environment: by this claim, with this text before the name. */
export type ClaimForm = { readonly claim: string; readonly prefix: string };

/** What Gantry knows of a provider's identity tokens. */
export type ProviderSpec = {
  readonly label: string;
  /** The issuer, if a rule names none; null: each organisation or workspace has its own. */
  readonly issuer: string | null;
  /** The form of its issuers, for messages; null: any. */
  readonly issuerForm: { readonly pattern: RegExp; readonly example: string } | null;
  /** The claim with an id that never belongs to another repository, pipeline or person. */
  readonly subjectClaim: string;
  readonly subjectForm: { readonly pattern: RegExp; readonly example: string } | null;
  /** How its tokens name what a rule is usually limited to; null: they do not. */
  readonly branch: ClaimForm | null;
  readonly tag: ClaimForm | null;
  readonly environment: ClaimForm | null;
  /** A rule must have at least one claim of each list. Otherwise jobs of any branch could get a token. */
  readonly required: readonly (readonly string[])[];
  /** The claims that are added to a new rule that does not have them. */
  readonly defaultClaims: RequiredClaims;
  /** The only values that a rule can accept. Others are of jobs with code from people who cannot push. */
  readonly allowedValues: RequiredClaims;
  /** The claims that the audit log records, besides the rule's. */
  readonly auditedClaims: readonly string[];
};

const DIGITS = { pattern: /^\d{1,20}$/, example: "a number such as 123456789" };
const UUID = {
  pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  example: "an id such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
};
const UUID_IN_BRACES = {
  pattern: /^\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/,
  example: "an id such as {3f2504e0-4f89-41d3-9a0c-0305e82c3301}, with its braces",
};

/** CircleCI prefixes its own claims with its address. */
const CIRCLECI = "oidc.circleci.com";

/**
 * Sources: GitHub, "OpenID Connect reference"; GitLab, "ID token authentication"; CircleCI, "Using OpenID Connect tokens in
 * jobs"; Buildkite, "buildkite-agent oidc"; Atlassian, "Deploy with OpenID Connect". GitHub's `sub` is not used: its form
 * depends on the age of the repository and on settings.
 */
export const trustProviders: Readonly<Record<TrustProvider, ProviderSpec>> = {
  github: {
    label: "GitHub Actions",
    issuer: "https://token.actions.githubusercontent.com",
    issuerForm: {
      pattern: /^https:\/\/(?:token\.actions\.githubusercontent\.com(?:\/[\w-]+)?|[^/]+\/_services\/token)$/,
      example:
        "https://token.actions.githubusercontent.com, or https://HOST/_services/token of your own GitHub",
    },
    subjectClaim: "repository_id",
    subjectForm: DIGITS,
    branch: { claim: "ref", prefix: "refs/heads/" },
    tag: { claim: "ref", prefix: "refs/tags/" },
    environment: { claim: "environment", prefix: "" },
    required: [["event_name"], ["ref", "environment"]],
    defaultClaims: { event_name: ["push", "workflow_dispatch", "schedule", "release"] },
    // A workflow that runs for a pull request, an issue or a comment has the branch of the repository in `ref`, and input of
    // anybody.
    allowedValues: {
      event_name: [
        "push",
        "workflow_dispatch",
        "schedule",
        "release",
        "create",
        "deployment",
        "merge_group",
        "repository_dispatch",
      ],
    },
    auditedClaims: [
      "repository",
      "repository_owner_id",
      "ref",
      "sha",
      "event_name",
      "environment",
      "workflow_ref",
      "runner_environment",
      "actor",
      "actor_id",
      "run_id",
    ],
  },
  gitlab: {
    label: "GitLab CI",
    issuer: "https://gitlab.com",
    issuerForm: null,
    subjectClaim: "project_id",
    subjectForm: DIGITS,
    branch: { claim: "ref_path", prefix: "refs/heads/" },
    tag: { claim: "ref_path", prefix: "refs/tags/" },
    environment: { claim: "environment", prefix: "" },
    required: [["pipeline_source"], ["ref_path", "environment"]],
    defaultClaims: {
      pipeline_source: ["push", "web", "schedule", "api", "trigger"],
      ref_protected: ["true"],
    },
    // A pipeline of a merge request runs code of a fork.
    allowedValues: {
      pipeline_source: ["push", "web", "schedule", "api", "trigger", "pipeline", "chat"],
    },
    auditedClaims: [
      "project_path",
      "namespace_id",
      "ref_path",
      "sha",
      "pipeline_source",
      "environment",
      "environment_protected",
      "ci_config_ref_uri",
      "user_login",
      "job_id",
    ],
  },
  circleci: {
    label: "CircleCI",
    issuer: null,
    issuerForm: {
      pattern: /^https:\/\/[^/]+\/org\/[0-9a-f-]{36}$/,
      example: "https://oidc.circleci.com/org/ID, with the id of your organization",
    },
    subjectClaim: `${CIRCLECI}/project-id`,
    subjectForm: UUID,
    branch: { claim: `${CIRCLECI}/vcs-ref`, prefix: "refs/heads/" },
    tag: { claim: `${CIRCLECI}/vcs-ref`, prefix: "refs/tags/" },
    environment: null,
    // The project of a fork's pull request is the project of the repository, but the origin is the fork.
    required: [[`${CIRCLECI}/vcs-origin`], [`${CIRCLECI}/vcs-ref`]],
    defaultClaims: { [`${CIRCLECI}/ssh-rerun`]: ["false"] },
    allowedValues: {},
    auditedClaims: [
      `${CIRCLECI}/vcs-origin`,
      `${CIRCLECI}/vcs-ref`,
      `${CIRCLECI}/context-ids`,
      `${CIRCLECI}/pipeline-definition-id`,
    ],
  },
  buildkite: {
    label: "Buildkite",
    issuer: "https://agent.buildkite.com",
    issuerForm: { pattern: /^https:\/\/agent\.buildkite\.com$/, example: "https://agent.buildkite.com" },
    subjectClaim: "pipeline_id",
    subjectForm: UUID,
    branch: { claim: "build_branch", prefix: "" },
    tag: { claim: "build_tag", prefix: "" },
    environment: null,
    required: [["build_branch", "build_tag"]],
    defaultClaims: {},
    allowedValues: {},
    auditedClaims: [
      "organization_slug",
      "organization_id",
      "pipeline_slug",
      "build_number",
      "build_branch",
      "build_commit",
      "step_key",
      "job_id",
    ],
  },
  bitbucket: {
    label: "Bitbucket Pipelines",
    issuer: null,
    issuerForm: {
      pattern: /^https:\/\/api\.bitbucket\.org\/2\.0\/workspaces\/[^/]+\/pipelines-config\/identity\/oidc$/,
      example: "https://api.bitbucket.org/2.0/workspaces/WORKSPACE/pipelines-config/identity/oidc",
    },
    subjectClaim: "repositoryUuid",
    subjectForm: UUID_IN_BRACES,
    branch: { claim: "branchName", prefix: "" },
    tag: null,
    environment: { claim: "deploymentEnvironmentUuid", prefix: "" },
    required: [["branchName", "deploymentEnvironmentUuid"]],
    defaultClaims: {},
    allowedValues: {},
    auditedClaims: ["workspaceUuid", "branchName", "deploymentEnvironmentUuid", "pipelineUuid", "stepUuid"],
  },
  other: {
    label: "Another issuer",
    issuer: null,
    issuerForm: null,
    subjectClaim: "sub",
    subjectForm: null,
    branch: null,
    tag: null,
    environment: null,
    required: [],
    defaultClaims: {},
    allowedValues: {},
    auditedClaims: ["jti"],
  },
};

/** What Gantry knows of a provider; null for a provider that a newer version has added. */
export function specOf(provider: Growing<TrustProvider>): ProviderSpec | null {
  return knownOf(trustProviders, provider);
}

/** The claims with names of branches and tags. Their values in a rule can end with `*`, which matches any characters. */
const refClaims: ReadonlySet<string> = new Set([
  "ref",
  "ref_path",
  "build_branch",
  "build_tag",
  "branchName",
  `${CIRCLECI}/vcs-ref`,
]);

/** Whether a value of a rule stands for all values that begin so. */
export function isPrefix(claim: string, value: string): boolean {
  return refClaims.has(claim) && value.endsWith("*");
}

/** The claim that a rule lacks, as the end of a sentence; null: none. */
export function missingClaim({ required }: ProviderSpec, claims: RequiredClaims): string | null {
  const missing = required.find((names) => !names.some((name) => Object.hasOwn(claims, name)));
  if (missing === undefined) return null;
  return missing.length === 1 ? `must have ${missing[0]}` : `must have ${missing.join(" or ")}`;
}
