import { parseArgs } from "node:util";

import * as z from "zod";

import { signInLink } from "#contract/dashboard-paths.ts";
import { AccountId } from "#contract/ids.ts";

import { type DatabaseTarget, executeStatements, homeNamed } from "./shared/execute-statements.ts";
import { messageOf, Problem } from "./shared/problem.ts";
import { newSignInCode, SIGN_IN_MINUTES } from "./shared/sign-in-code.ts";
import { readLocalFile } from "./start/local-file.ts";

const USAGE = `npm run sign-in -- [options]

  --account NAME   whose dashboard; only needed where there are several accounts
  --local HOME     the installation that npm start runs with this home, .gantry by default
  --remote         the installation in your Cloudflare account instead; needs --url
  --url URL        where it is reached, such as https://gantry.example.com`;

type Options = { readonly account: string | null; readonly target: DatabaseTarget; readonly url: string };

async function readOptions(): Promise<Options> {
  const { values } = parseArgs({
    options: {
      account: { type: "string" },
      local: { type: "string" },
      remote: { type: "boolean", default: false },
      url: { type: "string" },
    },
  });
  if (values.remote && values.local !== undefined)
    throw new Problem(`--local and --remote exclude each other.\n\n${USAGE}`);
  const home = homeNamed(values.local);
  const url = values.url ?? (values.remote ? null : ((await readLocalFile(home))?.url ?? null));
  if (url === null)
    throw new Problem(
      `${values.remote ? "--url is missing" : `No installation runs in ${home}; start it, or say its --url`}.\n\n${USAGE}`,
    );
  if (!URL.canParse(url)) throw new Problem(`--url must be an address such as https://gantry.example.com`);
  const target = values.remote ? ("remote" as const) : { home };
  return { account: values.account ?? null, target, url: new URL(url).origin };
}

const Accounts = z.array(z.object({ id: AccountId, name: z.string() }));

async function main(): Promise<void> {
  const { account, target, url } = await readOptions();
  const lookUp = { sql: "SELECT id, name FROM accounts ORDER BY id", parameters: [] };
  const { code, statement } = newSignInCode(account === null ? "only" : { name: account }, Date.now());
  const [rows = []] = await executeStatements(target, [lookUp, statement]);
  const accounts = Accounts.parse(rows);
  const fitting = accounts.filter(({ name }) => account === null || name === account);
  const [chosen] = fitting;
  if (chosen === undefined)
    throw new Problem(
      `There is no account${account === null ? " yet" : ` named ${account}`}. npm run token -- --account NAME makes one.`,
    );
  if (fitting.length > 1 && account === null)
    throw new Problem(
      `There are several accounts; say which with --account: ${fitting.map(({ name }) => name).join(", ")}`,
    );
  console.error(`Signs in to ${chosen.name}, once, within ${SIGN_IN_MINUTES} minutes:`);
  console.log(signInLink(url, code));
}

try {
  await main();
} catch (error) {
  console.error(`gantry: ${messageOf(error)}`);
  process.exit(1);
}
