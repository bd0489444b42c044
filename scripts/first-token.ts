import { parseArgs } from "node:util";

import { AccountId } from "#contract/ids.ts";
import { DisplayName } from "#contract/endpoints/projects/schemas.ts";
import { MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";

import { type DatabaseTarget, executeStatements, homeNamed } from "./shared/execute-statements.ts";
import { newToken } from "./shared/first-token.ts";
import { messageOf, Problem } from "./shared/problem.ts";

const USAGE = `npm run token -- --account NAME [options]

  --account NAME   the account that the token speaks for; made when there is none of this name
  --name NAME      what the token is called, "first token" by default
  --local HOME     write to the database of npm start's home, .gantry by default
  --remote         write to the database of your Cloudflare account instead`;

function readOptions(): { account: string; name: string; target: DatabaseTarget } {
  const { values } = parseArgs({
    options: {
      account: { type: "string" },
      name: { type: "string", default: "first token" },
      local: { type: "string" },
      remote: { type: "boolean", default: false },
    },
  });
  if (values.account === undefined) throw new Problem(`--account is missing.\n\n${USAGE}`);
  if (values.remote && values.local !== undefined)
    throw new Problem(`--local and --remote exclude each other.\n\n${USAGE}`);
  for (const [option, value] of [
    ["--account", values.account],
    ["--name", values.name],
  ] as const) {
    const name = DisplayName.safeParse(value);
    if (!name.success) throw new Problem(`${option} ${name.error.issues[0]?.message ?? "is no name"}.`);
  }
  const target = values.remote ? ("remote" as const) : { home: homeNamed(values.local) };
  return { account: values.account, name: values.name, target };
}

async function main(): Promise<void> {
  const { account, name, target } = readOptions();
  const lookUp = { sql: "SELECT id FROM accounts WHERE name = ? ORDER BY id LIMIT 1", parameters: [account] };
  const [found] = await executeStatements(target, [lookUp]);
  const id = AccountId.safeParse(found?.[0]?.["id"]);
  const { token, accountId, statements } = newToken(
    id.success ? { id: id.data } : { name: account },
    name,
    Date.now(),
  );
  await executeStatements(target, statements);
  console.error(
    `${id.success ? "A token" : "A new account and a token"} for ${account} (${accountId}), valid for ${MAX_LIFETIME_DAYS} days.`,
  );
  console.error("It is shown this once; the database keeps only its hash.");
  console.log(token);
}

try {
  await main();
} catch (error) {
  console.error(`gantry: ${messageOf(error)}`);
  process.exit(1);
}
