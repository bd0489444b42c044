import { isEntra, type ProviderPerson } from "#domain/sign-in/provider-person.ts";
import type { SignInRules } from "#domain/sign-in/decide-sign-in.ts";

/** What a test shows an owner: sentences about what does not work, and about what may surprise. */
export type Advice = { readonly problems: readonly string[]; readonly notes: readonly string[] };

type Provider = { readonly kind: "oidc" | "github"; readonly host: string };

/**
 * What the answer of a test sign-in says about the settings of its connection.
 * @param hasEmailClaim whether the provider sent an address, verified or not
 */
export function adviceOnPerson(
  rules: SignInRules,
  person: ProviderPerson,
  provider: Provider,
  hasEmailClaim: boolean,
): Advice {
  const groups = adviceOnGroups(rules, person, provider);
  const address = noteOnAddress(rules, person, provider, hasEmailClaim);
  return { problems: groups.problems, notes: [...groups.notes, ...(address === null ? [] : [address])] };
}

function adviceOnGroups(rules: SignInRules, { groups }: ProviderPerson, provider: Provider): Advice {
  const { groupGrants, groupsClaim } = rules;
  if (groupGrants.length === 0) return { problems: [], notes: [] };
  if (groups === null)
    return { problems: [`The provider sent no groups. ${missingGroups(provider, groupsClaim)}`], notes: [] };
  if (groupGrants.some(({ group }) => groups.includes(group))) return { problems: [], notes: [] };
  const slashed = groupGrants.find(({ group }) => groups.includes(`/${group}`));
  if (slashed !== undefined)
    return {
      problems: [
        `The provider writes the group ${slashed.group} with a slash: enter /${slashed.group}, or turn off "Full group path" in the mapper of Keycloak.`,
      ],
      notes: [],
    };
  const known = groups.length === 0 ? "none" : groups.slice(0, 20).join(", ");
  return {
    problems: [],
    notes: [`None of your groups at the provider has grants here. Yours are: ${known}.`],
  };
}

function missingGroups({ kind, host }: Provider, claim: string): string {
  if (kind === "github")
    return "Request the scope read:org, and approve the application in your organization.";
  if (isEntra(host))
    return 'Add the claim "groups" in the token configuration of the application. For people in more than 200 groups Entra leaves it out: choose "Groups assigned to the application". Groups are object IDs there.';
  if (host === "accounts.google.com") return "Google sends none: leave the groups empty, and use domains.";
  if (/(?:^|\.)okta(?:preview|-emea)?\.com$/.test(host))
    return `Request the scope groups, and add a groups claim named ${claim} to the application in Okta.`;
  return `Its identity token and its user info have no claim ${claim}. In Keycloak, add a mapper "Group Membership" with that name to the client. Elsewhere, request the scope that gives it, often groups, or enter the name of the claim that has them.`;
}

function noteOnAddress(
  { domains, joinPolicy }: SignInRules,
  { email }: ProviderPerson,
  { host }: Provider,
  hasEmailClaim: boolean,
): string | null {
  const needsAddress = domains.length > 0 || joinPolicy === "invited" || joinPolicy === "domain";
  if (!needsAddress || email !== null) return null;
  if (isEntra(host))
    return "Microsoft Entra does not verify e-mail addresses, so they are not used. Let people join by groups or by invitations.";
  if (!hasEmailClaim) return "The provider sent no e-mail address. Request the scope email.";
  return host === "accounts.google.com"
    ? "Your Google account does not belong to a Google Workspace of the domain of its address, so the address is not used."
    : "The provider does not say that it has verified the e-mail address (email_verified), so the address is not used.";
}

/** What the configuration of a provider says about its settings. @param methods of PKCE; undefined: it does not say */
export function adviceOnConfiguration(methods: readonly string[] | undefined): readonly string[] {
  return methods === undefined
    ? [
        "The provider does not say whether it supports PKCE. It is used all the same; Microsoft Entra supports it.",
      ]
    : [];
}
