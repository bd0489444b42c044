import { TokenId } from "#contract/ids.ts";
import { readAll } from "#client/read-all.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { missingNamed } from "#cli/session/missing-named.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Finds a token's ID by its name or ID. Names need not be unique: a name of several tokens is refused. A session can
 * be named only by its ID, because all sessions have the same name.
 */
export async function findToken(session: Session, word: string): Promise<Result<TokenId>> {
  const id = TokenId.safeParse(word);
  if (id.success) return succeed(id.data);
  const tokens = await readAll(session.client.listTokens, (page) => page.tokens);
  if (!tokens.ok) return tokens;
  const named = tokens.value.filter(({ kind }) => kind === "token");
  const [token, another] = named.filter(({ name }) => name === word);
  if (another !== undefined)
    return stop("ambiguous_name", `Several tokens are named ${word}. Pass the ID; gantry tokens lists it.`);
  if (token !== undefined) return succeed(token.id);
  return missingNamed("token", word, named);
}
