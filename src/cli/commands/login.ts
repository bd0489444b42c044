import { isWellFormedToken } from "#contract/token-form.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { promptForSecret, readToken } from "#cli/ask.ts";
import type { CommandContext } from "#cli/context.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { openSession } from "#cli/session/session.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { storeOf, withStoredToken } from "#cli/settings/stored-tokens.ts";
import { variable } from "#cli/settings/variable.ts";
import { connect } from "#cli/sign-in/connect.ts";

export const login = defineCommand({
  name: "login",
  summary: "Sign in to an installation, by the browser or with an API token",
  details: [
    "By the browser, you allow it on a page of the installation, where you are signed in as a member: type the code that the command prints. The command gets a personal token with your rights. At a terminal, press Enter instead of a token.",
    "With a token, it prompts for it, or reads it from standard input. It is never a command-line argument, because other users of the machine could see it.",
    "The token is checked, then stored in the keyring of the desktop (secret-tool on Linux, security on macOS). Without one, or with GANTRY_KEYRING=off, it is stored in gantry/config.json in $XDG_CONFIG_HOME (default ~/.config), readable only by you.",
  ],
  words: { url: { isRequired: false, help: "Installation URL, such as https://gantry.example.com" } },
  options: {
    "with-token": { kind: "flag", help: "Read a token from standard input or prompt for it" },
    "no-browser": { kind: "flag", help: "Print the address of the page, and open no browser" },
  },
  otherNames: { web: null, browser: null },
  examples: [
    "login https://gantry.example.com",
    "login https://gantry.example.com --no-browser",
    "login https://gantry.example.com --with-token < token.txt",
  ],
  async run(context, { words, options }) {
    const { environment, global, output } = context;
    if (options["with-token"] && options["no-browser"])
      return stop("usage", "Pass either --with-token or --no-browser.");
    const path = configPath(environment);
    const config = await readConfig(path);
    if (!config.ok) return config;
    const text = words.url ?? global.url ?? variable(environment, "GANTRY_URL") ?? config.value.current;
    if (text === null) return stop("usage", "Pass the installation: gantry login URL.");
    if (text.startsWith("gantry_"))
      return stop(
        "usage",
        "This is a token, not a URL, and your shell history has it now. Revoke it. gantry login prompts for the token.",
      );
    const url = tokenUrl(text);
    if (!url.ok) return url;

    const token = await getToken(context, url.value, options);
    if (!token.ok) return token;
    const session = openSession(context, {
      url: url.value,
      token: token.value,
      isTokenGiven: false,
      linkedProject: null,
      linkedName: null,
    });
    if (!session.ok) return session;
    const account = await session.value.client.getAccount();
    if (!account.ok) return account;

    // Read again: the file may have changed while the user looked for the token.
    const now = await readConfig(path);
    if (!now.ok) return now;
    const stored = await withStoredToken(context, now.value, url.value, token.value);
    const written = await writeConfig(path, stored);
    if (!written.ok) return written;
    const { name, token: used, member } = account.value;
    output.json({ url: url.value, ...account.value });
    const who = member === null ? "" : `${printableName(member.name)}, `;
    const where = storeOf(stored, url.value) === "keyring" ? " It is in the keyring." : "";
    output.line(
      `Signed in to ${url.value} as ${who}${printableName(name)} with the token "${printableName(used.name)}", which expires ${timeText(used.expires_at, output)}.${where}`,
    );
    return done;
  },
});

type TokenOptions = { readonly "with-token": boolean; readonly "no-browser": boolean };

/** A token that is given, or that the person allows in the browser. */
async function getToken(
  context: CommandContext,
  url: string,
  { "with-token": isGiven, "no-browser": noBrowser }: TokenOptions,
): Promise<Result<string>> {
  if (noBrowser) return await connect(context, url, false);
  const asks = context.stdin.isTTY && !isGiven;
  if (asks) context.stderr.write("Press Enter to sign in by the browser, or paste an API token.\n");
  const question = `Token for ${url}: `;
  const token = asks ? await promptForSecret(context, question) : await readToken(context, question);
  if (!token.ok) return token;
  if (asks && token.value === "") return await connect(context, url, true);
  if (token.value === "")
    return stop(
      "not_signed_in",
      "Standard input is empty. Pipe the token into gantry login, or type it at the prompt.",
    );
  return isWellFormedToken(token.value)
    ? token
    : stop("not_signed_in", "This is not a valid token. A token starts with gantry_ and has 43 characters.");
}
