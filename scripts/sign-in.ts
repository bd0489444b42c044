import * as z from "zod";

import { signInLink } from "#contract/public-paths.ts";
import { AccountId } from "#contract/ids.ts";

import { databaseOptions, databaseTarget } from "./shared/database-options.ts";
import { type DatabaseTarget, executeStatements } from "./shared/execute-statements.ts";
import { Problem } from "./shared/problem.ts";
import { option, runScript } from "./shared/script.ts";
import { hashOfToken } from "./shared/first-token.ts";
import { browserAddress, newSignInCode, SIGN_IN_MINUTES } from "./shared/sign-in-code.ts";
import { startIn } from "./start/home-lock.ts";
import { homeOnPort } from "./start/home-on-port.ts";
import { ignoredOptions, portNumber } from "./start/options.ts";

const isUrl = (text: string) => URL.canParse(text);

const options = z.object({
  account: option("NAME", "the account to sign in to; required if there are several", z.string().optional()),
  member: option(
    "EMAIL",
    "the member who signs in, by e-mail address or id, such as one who has lost all passkeys;\nby default the session is nobody's",
    z.string().min(1).optional(),
  ),
  port: option(
    "N",
    "the port of the local installation: instead of --home, if npm start has been\ncalled in this clone",
    portNumber.optional(),
  ),
  ...databaseOptions,
  url: option(
    "URL",
    "the address of the installation, such as https://gantry.example.com;\nrequired with --remote",
    z.string().refine(isUrl, { error: "must be an address such as https://gantry.example.com" }).optional(),
  ),
  ...ignoredOptions,
});
type Options = z.output<typeof options>;

const Names = z.array(z.object({ name: z.string() }));
const Accounts = z.array(z.object({ id: AccountId, name: z.string() }));

/** The database of the installation, and the address that the link begins with. */
async function installationOf({ port, url, ...given }: Options): Promise<[DatabaseTarget, string]> {
  const isNamed = given.home !== undefined || given.local !== undefined || given.remote;
  const found = isNamed || port === undefined ? null : await homeOnPort(port);
  const target = databaseTarget(found === null ? given : { ...given, home: found });
  if (url !== undefined) return [target, new URL(url).origin];
  if (target === "remote") throw new Problem("--url is missing: it is required with --remote.");
  const served = (await startIn(target.home))?.port ?? null;
  if (served === null || (port ?? served) !== served)
    throw new Problem(
      `${served === null ? "No installation runs" : `The installation runs on port ${served}`} in ${target.home}. ${
        served === null ? "Start it with npm start, or name" : "Name"
      } another one with --home.`,
    );
  return [target, browserAddress(`http://127.0.0.1:${served}`)];
}

await runScript(
  {
    usage: "npm run sign-in -- [options]",
    summary: "Creates a link that signs in to the dashboard once, and prints it.",
    options,
  },
  async (given) => {
    const { account, member } = given;
    const [target, origin] = await installationOf(given);
    const lookUp = { sql: "SELECT id, name FROM accounts ORDER BY id", parameters: [] };
    const owner = account === undefined ? "only" : { name: account };
    const { code, statement } = newSignInCode(owner, Date.now(), member);
    const lookUpCode = {
      sql: "SELECT members.name FROM sign_in_codes JOIN members ON members.id = sign_in_codes.member_id WHERE hash = ?",
      parameters: [hashOfToken(code)],
    };
    const found = await executeStatements(target, [lookUp, statement, lookUpCode]);
    const [rows = []] = found;
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
    const [person] = Names.parse(found.at(-1) ?? []);
    if (member !== undefined && person === undefined)
      throw new Problem(
        `The account ${chosen.name} has no member ${member}. Use the e-mail address or the id that the page Members shows.`,
      );
    console.error(
      `The link signs in ${person === undefined ? "" : `${person.name} `}to ${chosen.name}, once, within ${SIGN_IN_MINUTES} minutes:`,
    );
    console.log(signInLink(origin, code));
  },
);
