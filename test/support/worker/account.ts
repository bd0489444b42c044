import { env } from "cloudflare:workers";

import {
  type AccountId,
  createIdGenerator,
  type MemberId,
  type ProjectId,
  type TokenId,
} from "#contract/ids.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { formToken, randomTokenCharacters, type TokenKind } from "#contract/token-form.ts";
import { secretHash } from "#worker/secret-hash.ts";

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

const createIds = () => createIdGenerator({ now: () => Date.now(), randomBytes });

export let ids = createIds();

/** Call this before each test. A generator never goes back, so after a test with a later clock it would be ahead. */
export function renewIds(): void {
  ids = createIds();
}

/** A well-formed secret that is not in the database. */
export function newSecret(kind: TokenKind = "api"): string {
  return formToken(randomTokenCharacters(randomBytes), kind);
}

export type TestToken = { readonly id: TokenId; readonly secret: string };
export type TestAccount = { readonly id: AccountId; readonly name: string; readonly token: string };

type TokenSettings = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly ProjectId[] | null;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Whose personal token it is; null: a service token. */
  readonly memberId: MemberId | null;
};

/** Adds a token to the account in the database. */
export async function createToken(
  accountId: AccountId,
  settings: Partial<TokenSettings> = {},
): Promise<TestToken> {
  const { token, insertion } = await newToken(accountId, settings);
  await insertion.run();
  return token;
}

/** Adds an account with a token that has all scopes. */
export async function createAccount(name = "Test account"): Promise<TestAccount> {
  const id = ids.account();
  const { token, insertion } = await newToken(id);
  const account = env.DB.prepare("INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)");
  await env.DB.batch([account.bind(id, name, Date.now()), insertion]);
  return { id, name, token: token.secret };
}

type NewToken = { readonly token: TestToken; readonly insertion: D1PreparedStatement };

async function newToken(accountId: AccountId, settings: Partial<TokenSettings> = {}): Promise<NewToken> {
  const { name, scopes, projectIds, expiresAt, revokedAt, memberId }: TokenSettings = {
    name: "test",
    scopes: allScopes,
    projectIds: null,
    expiresAt: Date.now() + 3_600_000,
    revokedAt: null,
    memberId: null,
    ...settings,
  };
  const id = ids.token();
  const secret = newSecret();
  const insertion = env.DB.prepare(
    "INSERT INTO tokens (id, account_id, name, hash, scopes, project_ids, created_at, expires_at, revoked_at, member_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  ).bind(
    id,
    accountId,
    name,
    await secretHash(secret),
    JSON.stringify(scopes),
    projectIds === null ? null : JSON.stringify(projectIds),
    Date.now(),
    expiresAt,
    revokedAt,
    memberId,
  );
  return { token: { id, secret }, insertion };
}
