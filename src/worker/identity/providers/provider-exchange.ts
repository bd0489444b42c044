import type { Claims, ProviderPerson } from "#domain/sign-in/provider-person.ts";
import type { connections } from "#worker/db/identity-tables.ts";
import type { TargetProblem } from "#worker/identity/providers/provider-fetch.ts";
import type { Derived } from "#worker/identity/providers/sign-in-state.ts";

/** What a provider is asked with. */
export type ProviderConnection = Pick<
  typeof connections.$inferSelect,
  "kind" | "issuer" | "clientId" | "clientSecret" | "scopes" | "groupsClaim"
>;

/** `another_person`: the person may choose another account than they use at the provider. */
export type AskingFor = "sign_in" | "confirmation" | "another_person";

type Exchanged = Derived & {
  readonly state: string;
  readonly redirectUri: string;
  readonly askingFor: AskingFor;
};

/** What the browser takes to the provider. */
export type Asked = Exchanged;
/** What it brings back. */
export type Answered = Exchanged & { readonly query: URLSearchParams };

/** What providers are reached with. `now`: Unix milliseconds. */
export type Reach = { readonly now: number; readonly targetProblem: TargetProblem };

/** `claims`: what the provider said. `signOutUrl`: where it ends its own session; null: nowhere. */
export type NamedPerson = {
  readonly person: ProviderPerson;
  readonly claims: Claims;
  readonly signOutUrl: string | null;
};
