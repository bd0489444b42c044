import type { Context } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { configPath, isReadByOthers, readConfig } from "#cli/settings/config-file.ts";
import { installationUrl } from "#cli/settings/installation-url.ts";
import { findLink, LINK_NAME } from "#cli/settings/link-file.ts";
import { variable } from "#cli/settings/variable.ts";
import { succeed } from "#contract/lib/result.ts";

/** Whom to ask and how to prove who asks. `linkedProject`: of the link file, where that is for this installation. */
export type Installation = {
  readonly url: string;
  readonly token: string;
  readonly linkedProject: string | null;
};

/**
 * The installation by --url, GANTRY_URL, the link file or the last sign-in, in this order; its token by GANTRY_TOKEN or
 * the sign-in to it. A link file comes with a repository of whomever, so an address that stands in nothing else gets no
 * token but the one that was given for it.
 */
export async function chooseInstallation(context: Context): Promise<Result<Installation>> {
  const { environment, folder, global, output } = context;
  const asked = global.url ?? variable(environment, "GANTRY_URL");
  const given = variable(environment, "GANTRY_TOKEN");
  // Who says both needs nothing of what was kept, whatever is wrong with it.
  const path = asked !== null && given !== null ? null : configPath(environment);
  const config = await readConfig(path);
  if (!config.ok) return config;
  const link = await findLink(folder);
  if (!link.ok) return link;

  const text = asked ?? link.value?.url ?? config.value.current;
  if (text === null)
    return stop(
      "not_signed_in",
      "Sign in with gantry login URL, or set GANTRY_URL and GANTRY_TOKEN. The installation's owner makes tokens.",
    );
  const url = installationUrl(text);
  if (!url.ok) return url;

  const kept = Object.hasOwn(config.value.installations, url.value)
    ? config.value.installations[url.value]
    : undefined;
  if (given !== null && asked === null && kept === undefined)
    return stop(
      "not_signed_in",
      `GANTRY_TOKEN is not sent to ${url.value}, which only ${LINK_NAME} names. Set GANTRY_URL too.`,
    );
  const token = given ?? kept?.token ?? null;
  if (token === null) return stop("not_signed_in", `Sign in first: gantry login ${url.value}`);
  if (given === null && (await isReadByOthers(path)))
    output.note(`Others on this machine can read your tokens: chmod 600 ${path}`);

  const linked = link.value === null ? null : installationUrl(link.value.url);
  const isLinked = linked?.ok === true && linked.value === url.value;
  return succeed({ url: url.value, token, linkedProject: isLinked ? (link.value?.project ?? null) : null });
}
