import type { CommandContext } from "#cli/context.ts";
import type { Config } from "#cli/settings/config-file.ts";
import { readFromKeyring, removeFromKeyring, storeInKeyring } from "#cli/settings/keyring.ts";

type Context = Pick<CommandContext, "environment" | "signal">;

/** Where the token of an installation is stored; null: nowhere. */
export function storeOf({ installations, keyring }: Config, url: string): "keyring" | "file" | null {
  if (keyring.includes(url)) return "keyring";
  return Object.hasOwn(installations, url) ? "file" : null;
}

/** The stored token of an installation; null: none is stored, or the keyring cannot be read. */
export async function readStoredToken(context: Context, config: Config, url: string): Promise<string | null> {
  switch (storeOf(config, url)) {
    case "keyring":
      return await readFromKeyring(context, url);
    case "file":
      return config.installations[url]?.token ?? null;
    case null:
      return null;
  }
}

/** Stores the token of the current installation: in the keyring if the platform has a working keyring, otherwise in the file. */
export async function withStoredToken(
  context: Context,
  config: Config,
  url: string,
  token: string,
): Promise<Config> {
  const others = withoutUrl(config, url);
  if (await storeInKeyring(context, url, token))
    return { ...others, current: url, keyring: [...others.keyring, url] };
  return { ...others, current: url, installations: { ...others.installations, [url]: { token } } };
}

/** Removes the token of an installation, wherever it is. The installation before it is the current one then. */
export async function withoutStoredToken(context: Context, config: Config, url: string): Promise<Config> {
  // Also the token of an earlier sign-in, of which the file no longer says anything.
  await removeFromKeyring(context, url);
  const others = withoutUrl(config, url);
  const last = [...others.keyring, ...Object.keys(others.installations)].at(-1) ?? null;
  return { ...others, current: config.current === url ? last : config.current };
}

function withoutUrl(config: Config, url: string): Config {
  const { [url]: _removed, ...installations } = config.installations;
  return { ...config, installations, keyring: config.keyring.filter((one) => one !== url) };
}
