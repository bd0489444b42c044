import type { JoinPolicy } from "#contract/endpoints/connections/schemas.ts";
import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { InvitationId, MemberId } from "#contract/ids.ts";
import type { Grant } from "#domain/members/member-permissions.ts";
import { domainOf, type ProviderPerson } from "#domain/sign-in/provider-person.ts";

/** What people in a group of a provider get. */
export type GroupGrants = { readonly group: string; readonly grants: readonly Grant[] };

/** What a connection says of who may sign in and of what they may do. */
export type SignInRules = {
  readonly name: string;
  readonly groupsClaim: string;
  readonly groupGrants: readonly GroupGrants[];
  readonly syncGrants: boolean;
  readonly joinPolicy: JoinPolicy;
  readonly domains: readonly string[];
  readonly joinGrants: readonly Grant[];
  readonly isForced: boolean;
  /** Whether another connection of the account is forced. */
  readonly isOtherForced: boolean;
};

export type SigningMember = {
  readonly id: MemberId;
  readonly name: string;
  readonly isOwner: boolean;
  readonly grants: readonly Grant[];
};

/** An open invitation. `email`: null: for anybody who has its link. */
export type OpenInvitation = {
  readonly id: InvitationId;
  readonly email: string | null;
  readonly grants: readonly Grant[];
};

/** What the database knows of a person. */
export type KnownPerson = {
  /** Whose identity it is; null: nobody's. */
  readonly member: SigningMember | null;
  /** The member who has the person's trusted address; null: nobody. */
  readonly withAddress: (SigningMember & { readonly hasPasskey: boolean }) | null;
  /** The invitation whose code the person has sent; null: they sent none. */
  readonly invitation: OpenInvitation | null;
  /** The open invitation of the person's trusted address. */
  readonly invitationOfAddress: OpenInvitation | null;
};

export type SignInDecision =
  /** `isNew`: the identity is new: the member was found by the address. `grants`: after the sign-in. */
  | {
      readonly kind: "member";
      readonly member: SigningMember;
      readonly isNew: boolean;
      readonly grants: readonly Grant[];
    }
  | {
      readonly kind: "join";
      readonly invitationId: InvitationId | null;
      readonly grants: readonly Grant[];
    }
  /** `member`: whose identity it is; null: nobody's. */
  | {
      readonly kind: "refuse";
      readonly code: "sign_in_refused" | "sso_required";
      readonly member: MemberReference | null;
      readonly problem: string;
    };

/**
 * Whether an address may find a member or an invitation: the provider has verified it, and the connection lists its domain. An
 * address is never what a person is known by.
 */
export function trustedAddress({ domains }: SignInRules, { email }: ProviderPerson): string | null {
  return email !== null && domains.includes(domainOf(email)) ? email : null;
}

/** Decides whether a person whom a provider has named is signed in, joins or is refused. */
export function decideSignIn(rules: SignInRules, person: ProviderPerson, known: KnownPerson): SignInDecision {
  const { member, withAddress } = known;
  if (member !== null) return asMember(rules, person, member, false);
  if (known.invitation !== null) return byInvitation(rules, person, known.invitation);
  if (withAddress !== null && mayBeFound(rules, withAddress))
    return asMember(rules, person, withAddress, true);
  return byPolicy(rules, person, known);
}

/**
 * Whether an address is enough to be taken for a member. Not for an owner: a mailbox must not be enough to become one. Not for a member with
 * a passkey, who adds the identity in their profile: the address of an invitation is not proven by its link, so the passkey may be of
 * somebody else. If the connection is required, passkeys sign in nobody but owners.
 */
function mayBeFound({ isForced }: SignInRules, found: NonNullable<KnownPerson["withAddress"]>): boolean {
  return !found.isOwner && (isForced || !found.hasPasskey);
}

function asMember(
  rules: SignInRules,
  person: ProviderPerson,
  member: SigningMember,
  isNew: boolean,
): SignInDecision {
  if (isForcedElsewhere(rules) && !member.isOwner)
    return { ...ssoRequired, member: isNew ? null : { id: member.id, name: member.name } };
  const mapped = member.isOwner || !rules.syncGrants ? null : grantsOfGroups(rules, person);
  return { kind: "member", member, isNew, grants: mapped ?? member.grants };
}

function byInvitation(
  rules: SignInRules,
  person: ProviderPerson,
  { id, email, grants }: OpenInvitation,
): SignInDecision {
  if (isForcedElsewhere(rules)) return ssoRequired;
  if (email !== null && email !== person.email)
    return refuse(
      person.email === null
        ? `The invitation is for one e-mail address, and ${rules.name} has not verified yours.`
        : `The invitation is for another e-mail address than ${person.email}.`,
    );
  return { kind: "join", invitationId: id, grants: grantsOfGroups(rules, person) ?? grants };
}

function byPolicy(rules: SignInRules, person: ProviderPerson, known: KnownPerson): SignInDecision {
  if (known.withAddress !== null || isForcedElsewhere(rules)) return notAMember;
  const invitation = known.invitationOfAddress;
  switch (rules.joinPolicy) {
    case "off":
      return notAMember;
    case "invited":
      return invitation === null ? notAMember : byInvitation(rules, person, invitation);
    case "domain":
      return trustedAddress(rules, person) === null ? notAMember : joined(rules, person);
    case "group": {
      const hasMapped = rules.groupGrants.some(({ group }) => person.groups?.includes(group) === true);
      return hasMapped ? joined(rules, person) : notAMember;
    }
  }
}

function joined(rules: SignInRules, person: ProviderPerson): SignInDecision {
  const grants = grantsOfGroups(rules, person) ?? rules.joinGrants;
  return grants.length === 0 ? notAMember : { kind: "join", invitationId: null, grants };
}

/**
 * What a person's groups give them; null: the connection maps no groups, or the provider sent none. Entra leaves the claim out for
 * people with many groups, so a missing claim must not take anything away.
 */
function grantsOfGroups(
  { groupGrants, joinGrants }: SignInRules,
  { groups }: ProviderPerson,
): readonly Grant[] | null {
  if (groupGrants.length === 0 || groups === null) return null;
  const mapped = groupGrants.filter(({ group }) => groups.includes(group)).flatMap(({ grants }) => grants);
  return mapped.length === 0 ? joinGrants : onceEach(mapped);
}

function onceEach(grants: readonly Grant[]): readonly Grant[] {
  return [...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values()];
}

function isForcedElsewhere({ isForced, isOtherForced }: SignInRules): boolean {
  return isOtherForced && !isForced;
}

/** The same for everybody, so that it says nothing of who is a member. */
const notAMember = refuse(
  "You are not a member of this account, or have not added this identity to your profile yet. Ask an owner for an invitation.",
);

/** For a member who used another way than the account requires. */
export const SSO_REQUIRED =
  "This account requires single sign-on. Sign in by its provider instead. If that does not work, ask an owner.";

const ssoRequired = { kind: "refuse", code: "sso_required", member: null, problem: SSO_REQUIRED } as const;

function refuse(problem: string): SignInDecision {
  return { kind: "refuse", code: "sign_in_refused", member: null, problem };
}
