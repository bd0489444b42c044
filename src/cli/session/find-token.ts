import { TokenId } from "#contract/ids.ts";
import type { Token } from "#contract/endpoints/tokens/schemas.ts";
import { readAll } from "#client/read-all.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { missingNamed } from "#cli/session/missing-named.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * A token's id, by its name or its id. Names need not be unique: one that several have is refused. A session is meant
 * by its id only, for all of them have the same name.
 */
export async function findToken(session: Session, word: string): Promise<Result<TokenId>> {
  const id = TokenId.safeParse(word);
  if (id.success) return succeed(id.data);
  const tokens = await allTokens(session);
  if (!tokens.ok) return tokens;
  const named = tokens.value.filter(({ kind }) => kind === "token");
  const [token, another] = named.filter(({ name }) => name === word);
  if (another !== undefined)
    return stop("ambiguous_name", `Several tokens are called ${word}. Say its id; gantry tokens lists them.`);
  if (token !== undefined) return succeed(token.id);
  return missingNamed("token", word, named);
}

export async function allTokens({ client }: Session): Promise<Result<readonly Token[]>> {
  return readAll(
    (query) => client.listTokens({ query }),
    (page) => page.tokens,
  );
}
