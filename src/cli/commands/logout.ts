import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";
import { installationUrl } from "#cli/settings/installation-url.ts";

export const logout = defineCommand({
  name: "logout",
  summary: "Remove the stored token of an installation",
  details: ["The token stays valid. To end it, use gantry tokens revoke."],
  words: { url: { isRequired: false, help: "Installation URL (default: the last sign-in)" } },
  options: {},
  async run({ environment, global, output }, { words }) {
    const path = configPath(environment);
    const config = await readConfig(path);
    if (!config.ok) return config;
    const { current, installations } = config.value;
    const text = words.url ?? global.url ?? current;
    if (text === null) return stop("not_signed_in", "No token is stored.");
    const url = installationUrl(text);
    if (!url.ok) return url;
    if (!Object.hasOwn(installations, url.value))
      return stop("not_signed_in", `No token is stored for ${url.value}.`);
    const { [url.value]: _removed, ...others } = installations;
    const next = current === url.value ? (Object.keys(others).at(-1) ?? null) : current;
    const written = await writeConfig(path, { ...config.value, current: next, installations: others });
    if (!written.ok) return written;
    output.json({ url: url.value });
    output.line(`Signed out of ${url.value}.`);
    return done;
  },
});
