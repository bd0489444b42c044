import type { CommandContext } from "#cli/context.ts";
import { isInJob } from "#cli/identity/find-identity-token.ts";
import { findJobToken } from "#cli/identity/find-job-token.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { configPath, isReadByOthers, readConfig } from "#cli/settings/config-file.ts";
import { installationUrl } from "#cli/settings/installation-url.ts";
import { findLink, LINK_NAME } from "#cli/settings/link-file.ts";
import { readStoredToken, storeOf } from "#cli/settings/stored-tokens.ts";
import { variable } from "#cli/settings/variable.ts";
import { succeed } from "#contract/lib/result.ts";

/** The control plane to call, and the token for it. `linkedProject` is set if the link file is for this installation. */
export type Installation = {
  readonly url: string;
  readonly token: string;
  /** Whether the token is from GANTRY_TOKEN or a trust rule, as in CI, and not from gantry login. */
  readonly isTokenGiven: boolean;
  readonly linkedProject: string | null;
  /** The name in that file, which may be out of date or made up: only for output about finished actions. */
  readonly linkedName: string | null;
};

/**
 * Finds the installation from --url, GANTRY_URL, the link file or the last sign-in, in this order, and its token from
 * GANTRY_TOKEN, the identity token of a CI job, or the sign-in to it. If a job cannot get a token, the sign-in is used. A link file can come from anyone's repository, so
 * neither GANTRY_TOKEN nor an identity token is sent to a URL that only the link file names.
 */
export async function chooseInstallation(context: CommandContext): Promise<Result<Installation>> {
  const { environment, folder, global, output } = context;
  const givenUrl = global.url ?? variable(environment, "GANTRY_URL");
  const givenToken = variable(environment, "GANTRY_TOKEN");
  // With both given, the configuration file is not read, so a broken one does no harm.
  const path = givenUrl !== null && givenToken !== null ? null : configPath(environment);
  const config = await readConfig(path);
  if (!config.ok) return config;
  const link = await findLink(folder);
  if (!link.ok) return link;

  const text = givenUrl ?? link.value?.url ?? config.value.current;
  if (text === null)
    return stop(
      "not_signed_in",
      "Sign in with gantry login URL, or set GANTRY_URL and GANTRY_TOKEN. The installation's owner creates tokens. In a CI job, set GANTRY_URL and create a trust rule.",
    );
  const url = installationUrl(text);
  if (!url.ok) return url;

  const store = storeOf(config.value, url.value);
  if (givenToken !== null && givenUrl === null && store === null)
    return stop(
      "not_signed_in",
      `GANTRY_TOKEN is not sent to ${url.value}, because only ${LINK_NAME} names it. Set GANTRY_URL as well.`,
    );
  const asksForToken = givenToken === null && givenUrl !== null;
  const jobToken = asksForToken ? await findJobToken(context, url.value) : null;
  if (jobToken?.ok === false && store === null) return jobToken;
  const tokenOfCi = givenToken ?? (jobToken?.ok === true ? jobToken.value : null);
  const token = tokenOfCi ?? (await readStoredToken(context, config.value, url.value));
  if (token === null && givenUrl === null && isInJob(environment))
    return stop(
      "not_signed_in",
      `No identity token is sent to ${url.value}, because only ${LINK_NAME} names it. Set GANTRY_URL as well.`,
    );
  if (token === null && store === "keyring")
    return stop(
      "not_signed_in",
      `The keyring does not give the token for ${url.value}. Unlock it, or sign in with gantry login ${url.value}`,
    );
  if (token === null) return stop("not_signed_in", `Sign in with gantry login ${url.value}`);
  if (tokenOfCi === null && store === "file" && (await isReadByOthers(path)))
    output.note(`Other users of this machine can read your tokens. Run chmod 600 ${path}`);

  const linked = link.value === null ? null : installationUrl(link.value.url);
  const isLinked = linked?.ok === true && linked.value === url.value;
  const used = isLinked ? link.value : null;
  return succeed({
    ...{ url: url.value, token, isTokenGiven: tokenOfCi !== null },
    ...{ linkedProject: used?.project ?? null, linkedName: used?.name ?? null },
  });
}
