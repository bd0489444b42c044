import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";
import { installationUrl } from "#cli/settings/installation-url.ts";

export const logout = defineCommand({
  name: "logout",
  summary: "Forget the token of an installation",
  details: ["The token itself goes on to count: gantry tokens revoke ends it."],
  words: { url: { isRequired: false, help: "The installation; the one signed in to last without it" } },
  options: {},
  async run({ environment, global, output }, { words }) {
    const path = configPath(environment);
    const config = await readConfig(path);
    if (!config.ok) return config;
    const { current, installations } = config.value;
    const text = words.url ?? global.url ?? current;
    if (text === null) return stop("not_signed_in", "You are signed in to no installation.");
    const url = installationUrl(text);
    if (!url.ok) return url;
    if (!Object.hasOwn(installations, url.value))
      return stop("not_signed_in", `You are not signed in to ${url.value}.`);
    const { [url.value]: _forgotten, ...others } = installations;
    const next = current === url.value ? (Object.keys(others).at(-1) ?? null) : current;
    const written = await writeConfig(path, { current: next, installations: others });
    if (!written.ok) return written;
    output.json({ url: url.value });
    output.line(`The token for ${url.value} is forgotten.`);
    return done;
  },
});
