import { resolve } from "node:path";
import { parseArgs } from "node:util";

import * as z from "zod";

import { AccountId } from "#contract/ids.ts";
import { DisplayName } from "#contract/projects.ts";

import { newToken, renderStatement } from "./parts/first-token.ts";
import { messageOf, Problem } from "./parts/problem.ts";
import { root } from "./parts/root.ts";
import { quietWrangler, runCommand } from "./parts/run-command.ts";

const USAGE = `npm run token -- --account NAME [options]

  --account NAME   the account that the token speaks for; made when there is none of this name
  --name NAME      what the token is called, "first token" by default
  --local HOME     write to the database of npm start's home, .gantry by default
  --remote         write to the database of your Cloudflare account instead`;

/** What `wrangler d1 execute --json` prints: an entry for each statement. */
const Executed = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

function readOptions(): { account: string; name: string; target: string[] } {
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
  const home =
    values.local === undefined
      ? resolve(root, ".gantry")
      : resolve(process.env["INIT_CWD"] ?? root, values.local);
  const target = values.remote ? ["--remote"] : ["--local", "--persist-to", resolve(home, "state")];
  return { account: values.account, name: values.name, target };
}

async function execute(target: readonly string[], sql: string): Promise<z.infer<typeof Executed>> {
  const { code, output } = await runCommand(
    ["wrangler", "d1", "execute", "DB", ...target, "--yes", "--json", "--command", sql],
    { env: quietWrangler },
  );
  if (code !== 0) {
    const hint = output.includes("no such table")
      ? "\nThe database has no tables yet. Run npm start once, or `npx wrangler d1 migrations apply DB --remote`."
      : "";
    throw new Problem(`wrangler could not write to the database:\n${output.trim()}${hint}`);
  }
  return Executed.parse(JSON.parse(output.slice(output.indexOf("["))));
}

async function main(): Promise<void> {
  const { account, name, target } = readOptions();
  const lookUp = { sql: "SELECT id FROM accounts WHERE name = ? ORDER BY id LIMIT 1", parameters: [account] };
  const [found] = await execute(target, renderStatement(lookUp));
  const id = AccountId.safeParse(found?.results[0]?.["id"]);
  const { token, accountId, statements } = newToken(
    id.success ? { id: id.data } : { name: account },
    name,
    Date.now(),
  );
  await execute(target, statements.map(renderStatement).join(" "));
  console.error(
    `${id.success ? "A token" : "A new account and a token"} for ${account} (${accountId}), valid for 366 days.`,
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
