import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";
import { installationUrl } from "#cli/settings/installation-url.ts";
import { storeOf, withoutStoredToken } from "#cli/settings/stored-tokens.ts";

export const logout = defineCommand({
  name: "logout",
  summary: "Remove the stored token of an installation",
  details: [
    "It is removed from the keyring and the configuration file. The token stays valid. To end it, use gantry tokens revoke, or for a personal token your profile in the dashboard.",
  ],
  words: { url: { isRequired: false, help: "Installation URL (default: the last sign-in)" } },
  options: {},
  async run(context, { words }) {
    const { environment, global, output } = context;
    const path = configPath(environment);
    const config = await readConfig(path);
    if (!config.ok) return config;
    const text = words.url ?? global.url ?? config.value.current;
    if (text === null) return stop("not_signed_in", "No token is stored.");
    const url = installationUrl(text);
    if (!url.ok) return url;
    if (storeOf(config.value, url.value) === null)
      return stop("not_signed_in", `No token is stored for ${url.value}.`);
    const written = await writeConfig(path, await withoutStoredToken(context, config.value, url.value));
    if (!written.ok) return written;
    output.json({ url: url.value });
    output.line(`Signed out of ${url.value}.`);
    return done;
  },
});
