import {
  type RequiredClaims,
  type TrustProvider,
  trustProviders,
} from "#contract/endpoints/trust-rules/providers.ts";
import {
  CreateTrustRuleInput,
  DEFAULT_LIFETIME_MINUTES,
  type TrustRule,
  UpdateTrustRuleInput,
} from "#contract/endpoints/trust-rules/schemas.ts";
import { unescapeKey } from "#contract/lib/json-pointer.ts";
import { sentence } from "#contract/lib/sentence.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import { checkTrust, problemOfRequiredClaims } from "#contract/endpoints/trust-rules/check-trust.ts";
import { readForm, type ReadForm } from "#dashboard/text/field-errors.ts";

/** What the form for a trust rule holds. */
export type TrustDraft = {
  readonly name: string;
  readonly provider: TrustProvider;
  /** Empty: the provider's only issuer. */
  readonly issuer: string;
  readonly subject: string;
  /** What the jobs are limited to: a kind, and its names with commas between them. */
  readonly limit: LimitKind;
  readonly limitNames: string;
  /** A claim in each line, as NAME=VALUE. */
  readonly claims: string;
  readonly scopes: readonly Scope[];
  readonly project_ids: readonly ProjectId[] | null;
  readonly minutes: string;
};

export type LimitKind = "branch" | "tag" | "environment";

export const newTrust: TrustDraft = {
  name: "",
  provider: "github",
  issuer: "",
  subject: "",
  limit: "branch",
  limitNames: "main",
  claims: "",
  scopes: ["deployments:write"],
  project_ids: null,
  minutes: String(DEFAULT_LIFETIME_MINUTES),
};

/** The kinds of limit that the tokens of a provider can show. */
export function limitsOf(provider: TrustProvider): readonly LimitKind[] {
  const kinds: readonly LimitKind[] = ["branch", "tag", "environment"];
  return kinds.filter((kind) => trustProviders[provider][kind] !== null);
}

/** Claims as lines NAME=VALUE, one for each value. */
export function claimLines(claims: RequiredClaims): string {
  return Object.entries(claims)
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .join("\n");
}

/** The claims in lines NAME=VALUE; null: a line has another form. */
export function readClaimLines(text: string): Record<string, string[]> | null {
  const claims = new Map<string, string[]>();
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    if (at < 1) return null;
    const name = line.slice(0, at).trim();
    claims.set(name, [...(claims.get(name) ?? []), line.slice(at + 1).trim()]);
  }
  return Object.fromEntries(claims);
}

function claimsOf({ provider, limit, limitNames, claims }: TrustDraft): Record<string, string[]> | null {
  const lines = readClaimLines(claims);
  const where = trustProviders[provider][limit];
  const names = limitNames
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (lines === null || where === null || names.length === 0) return lines;
  const values = lines[where.claim] ?? [];
  return { ...lines, [where.claim]: [...values, ...names.map((name) => `${where.prefix}${name}`)] };
}

const LINES_ERROR = "Write one claim per line, as NAME=VALUE.";

/** The body of the request that creates the rule, or the errors of the form, by the path of each field. */
export function readNewTrust(draft: TrustDraft): ReadForm<CreateTrustRuleInput> {
  const claims = claimsOf(draft);
  const issuer = draft.issuer.trim();
  const form = readForm(CreateTrustRuleInput, {
    name: draft.name.trim(),
    provider: draft.provider,
    ...(issuer === "" ? {} : { issuer }),
    subject: draft.subject.trim(),
    claims: claims ?? {},
    scopes: draft.scopes,
    project_ids: draft.project_ids,
    lifetime_minutes: Number(draft.minutes),
  });
  const errors = withLines(form.errors, claims);
  if (!form.ok || claims === null) return { ok: false, errors };
  const checked = checkTrust(form.value);
  return checked.ok ? form : { ok: false, errors: { ...errors, ...errorAt(checked.problem) } };
}

/** The same for a change of a rule. */
export function readTrustChange(draft: TrustDraft): ReadForm<UpdateTrustRuleInput> {
  const claims = readClaimLines(draft.claims);
  const form = readForm(UpdateTrustRuleInput, {
    name: draft.name.trim(),
    claims: claims ?? {},
    scopes: draft.scopes,
    project_ids: draft.project_ids,
    lifetime_minutes: Number(draft.minutes),
  });
  const errors = withLines(form.errors, claims);
  if (!form.ok || claims === null) return { ok: false, errors };
  const problem = problemOfRequiredClaims(draft.provider, claims);
  return problem === null ? form : { ok: false, errors: { ...errors, ...errorAt(problem) } };
}

/** The draft for changes of a rule. */
export function draftOfTrust(rule: TrustRule, provider: TrustProvider, scopes: readonly Scope[]): TrustDraft {
  return {
    ...newTrust,
    name: rule.name,
    provider,
    issuer: rule.issuer,
    subject: rule.subject,
    claims: claimLines(rule.claims),
    scopes,
    project_ids: rule.project_ids,
    minutes: String(rule.lifetime_minutes),
  };
}

/** All errors of claims are shown below their lines. */
function withLines(
  errors: Readonly<Record<string, string>>,
  claims: Record<string, string[]> | null,
): Record<string, string> {
  if (claims === null) return { ...errors, claims: LINES_ERROR };
  const ofClaims = Object.entries(errors).find(([path]) => path.startsWith("claims"));
  return ofClaims === undefined ? { ...errors } : { ...errors, claims: ofClaims[1] };
}

function errorAt({ pointer, message }: { readonly pointer: string; readonly message: string }) {
  const [, field = "", ...rest] = pointer.split("/");
  const claim = unescapeKey(rest.join("/"));
  if (claim !== "") return { [field]: `${claim} ${message}.` };
  return { [field]: field === "claims" ? `The rule ${message}.` : sentence(message) };
}
