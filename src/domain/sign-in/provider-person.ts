import { hostKind } from "#contract/addresses/host-kind.ts";
import { EmailAddress } from "#contract/endpoints/members/schemas.ts";

/** A person as a provider names them, after the answer was verified. */
export type ProviderPerson = {
  /** Never changes, and never belongs to somebody else. */
  readonly subject: string;
  /** For people: the person's name; null: the provider gave none. */
  readonly name: string | null;
  /** For people: the address or the login, whether verified or not. */
  readonly label: string | null;
  /** The address in lower case, if the provider has verified it; null: none. */
  readonly email: string | null;
  /** null: the provider sent none. */
  readonly groups: readonly string[] | null;
};

export type Claims = Readonly<Record<string, unknown>>;

/** The part of an address after its last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

const GOOGLE = "https://accounts.google.com";

/** Hosts of Microsoft Entra, which lets its customers write any address into `email`. Source: Microsoft, "nOAuth" (2023). */
const ENTRA_HOST =
  /(?:^|\.)(?:microsoftonline\.(?:com|us|de)|partner\.microsoftonline\.cn|sts\.windows\.net|ciamlogin\.com)$/;

/** Whether the addresses of a provider are worth nothing. @param host of the issuer */
export function isEntra(host: string): boolean {
  return hostKind(host) === "name" && ENTRA_HOST.test(host);
}

/**
 * The person in verified claims of OpenID Connect.
 * @param host of the issuer
 * @param groupsClaim the claim with the groups
 */
export function personOfClaims(
  claims: Claims,
  {
    issuer,
    host,
    groupsClaim,
  }: { readonly issuer: string; readonly host: string; readonly groupsClaim: string },
): ProviderPerson | null {
  const { sub, name, email, preferred_username: login } = claims;
  if (typeof sub !== "string" || sub === "") return null;
  return {
    subject: sub,
    name: textOrNull(name) ?? textOrNull(login),
    label: textOrNull(email) ?? textOrNull(login),
    email: isEntra(host) ? null : verifiedEmail(claims, issuer),
    groups: groupsIn(claims, groupsClaim),
  };
}

/** Only `true` counts: some providers send the text "true" for addresses that people typed. */
function verifiedEmail({ email, email_verified: isVerified, hd }: Claims, issuer: string): string | null {
  const address = textOrNull(email)?.toLowerCase() ?? null;
  if (address === null || !isAddress(address) || isVerified !== true) return null;
  // Anybody can have a Google account with an address of another domain. Only `hd` says that the domain's owner gave it.
  return issuer === GOOGLE && hd !== domainOf(address) ? null : address;
}

/** Whether a text is one address, as the addresses of members are. */
export function isAddress(text: string): boolean {
  return EmailAddress.safeParse(text).success;
}

/** The groups in a claim. Dots lead into objects, unless a claim has the whole name. */
function groupsIn(claims: Claims, claim: string): readonly string[] | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : claim.split(".").reduce(fieldOf, claims);
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return null;
  return value.filter((one): one is string => typeof one === "string");
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
