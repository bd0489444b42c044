import * as z from "zod";

import { signInLink } from "#contract/public-paths.ts";
import { AccountId } from "#contract/ids.ts";

import { databaseOptions, databaseTarget } from "./shared/database-options.ts";
import { type DatabaseTarget, executeStatements } from "./shared/execute-statements.ts";
import { Problem } from "./shared/problem.ts";
import { option, runScript } from "./shared/script.ts";
import { newSignInCode, SIGN_IN_MINUTES } from "./shared/sign-in-code.ts";
import { readLocalFile } from "./start/local-file.ts";

const isUrl = (text: string) => URL.canParse(text);

const options = z.object({
  account: option("NAME", "the account to sign in to; required if there are several", z.string().optional()),
  ...databaseOptions,
  url: option(
    "URL",
    "the address of the installation, such as https://gantry.example.com;\nrequired with --remote",
    z.string().refine(isUrl, { error: "must be an address such as https://gantry.example.com" }).optional(),
  ),
});

const Accounts = z.array(z.object({ id: AccountId, name: z.string() }));

async function addressOf(target: DatabaseTarget): Promise<string> {
  if (target === "remote") throw new Problem("--url is missing: it is required with --remote.");
  const url = (await readLocalFile(target.home))?.url;
  if (url === undefined)
    throw new Problem(`No installation runs in ${target.home}. Start it, or pass its address with --url.`);
  return url;
}

await runScript(
  {
    usage: "npm run sign-in -- [options]",
    summary: "Creates a link that signs in to the dashboard once, and prints it.",
    options,
  },
  async ({ account, url, ...given }) => {
    const target = databaseTarget(given);
    const origin = new URL(url ?? (await addressOf(target))).origin;
    const lookUp = { sql: "SELECT id, name FROM accounts ORDER BY id", parameters: [] };
    const owner = account === undefined ? "only" : { name: account };
    const { code, statement } = newSignInCode(owner, Date.now());
    const [rows = []] = await executeStatements(target, [lookUp, statement]);
    const accounts = Accounts.parse(rows).filter(({ name }) => account === undefined || name === account);
    const [chosen] = accounts;
    if (chosen === undefined)
      throw new Problem(
        `There is no account${account === undefined ? " yet" : ` named ${account}`}. Create it: npm run token -- --account NAME`,
      );
    if (accounts.length > 1 && account === undefined)
      throw new Problem(
        `There are several accounts. Choose one with --account: ${accounts.map(({ name }) => name).join(", ")}`,
      );
    console.error(`The link signs in to ${chosen.name}, once, within ${SIGN_IN_MINUTES} minutes:`);
    console.log(signInLink(origin, code));
  },
);
