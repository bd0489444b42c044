import * as z from "zod";

import { AccountId } from "#contract/ids.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";

import { databaseOptions, databaseTarget } from "./shared/database-options.ts";
import { executeStatements } from "./shared/execute-statements.ts";
import { newToken } from "./shared/first-token.ts";
import { option, runScript } from "./shared/script.ts";

const displayName = z.string().pipe(DisplayName);

const options = z.object({
  account: option(
    "NAME",
    "the account of the token; created if it does not exist.\nThe account of npm start is `local`",
    displayName,
  ),
  name: option("NAME", 'the name of the token; "first token" by default', displayName.default("first token")),
  ...databaseOptions,
});

await runScript(
  {
    usage: "npm run token -- --account NAME [options]",
    summary: "Creates an API token with every scope, and prints it.",
    options,
  },
  async ({ account, name, ...given }) => {
    const target = databaseTarget(given);
    const lookUp = {
      sql: "SELECT id FROM accounts WHERE name = ? ORDER BY id LIMIT 1",
      parameters: [account],
    };
    const { token, accountId, statements } = newToken({ name: account }, name, Date.now());
    const rows = await executeStatements(target, [...statements, lookUp]);
    const id = AccountId.parse(rows.at(-1)?.[0]?.["id"]);
    const created = id === accountId ? "Created an account and a token" : "Created a token";
    console.error(`${created} for ${account} (${id}). The token is valid for ${MAX_LIFETIME_DAYS} days.`);
    console.error("It is shown only now: the database keeps only its hash.");
    console.log(token);
  },
);
