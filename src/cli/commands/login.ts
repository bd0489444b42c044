import { isWellFormedToken } from "#contract/token-form.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { readToken } from "#cli/ask.ts";
import { done, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { openSession } from "#cli/session/session.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { variable } from "#cli/settings/variable.ts";

export const login = defineCommand({
  name: "login",
  summary: "Sign in to an installation with an API token",
  details: [
    "Prompts for the token, or reads it from standard input. It is never a command-line argument, because other users of the machine could see it. The token is checked, then stored in gantry/config.json in $XDG_CONFIG_HOME (default ~/.config), readable only by you.",
  ],
  words: { url: { isRequired: false, help: "Installation URL, such as https://gantry.example.com" } },
  options: {},
  examples: ["login https://gantry.example.com", "login https://gantry.example.com < token.txt"],
  async run(context, { words }) {
    const { environment, global, output } = context;
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

    const token = await readToken(context, `Token for ${url.value}: `);
    if (!token.ok) return token;
    if (token.value === "")
      return stop(
        "not_signed_in",
        "Standard input is empty. Pipe the token into gantry login, or type it at the prompt.",
      );
    if (!isWellFormedToken(token.value))
      return stop(
        "not_signed_in",
        "This is not a valid token. A token starts with gantry_ and has 43 characters.",
      );
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
    const installations = { ...now.value.installations, [url.value]: { token: token.value } };
    const written = await writeConfig(path, { ...now.value, current: url.value, installations });
    if (!written.ok) return written;
    const { name, token: used } = account.value;
    output.json({ url: url.value, ...account.value });
    output.line(
      `Signed in to ${url.value} as ${printableName(name)} with the token "${printableName(used.name)}", which expires ${timeText(used.expires_at, output)}.`,
    );
    return done;
  },
});
