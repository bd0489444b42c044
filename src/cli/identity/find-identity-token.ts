import { spawn } from "node:child_process";

import * as z from "zod/mini";

import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { printable } from "#cli/output/printable.ts";
import { variable } from "#cli/settings/variable.ts";

/** `isOnlyToken`: the job has only this identity token, so its commands must share what it is exchanged for. */
export type IdentityToken = { readonly token: string; readonly isOnlyToken: boolean };

const TIMEOUT_MS = 10_000;
const MAX_PRINTED = 2_000;

const GitHubAnswer = z.object({ value: z.string() });

/** Whether the command runs in a job of a CI system that may sign identity tokens. */
export function isInJob(environment: NodeJS.ProcessEnv): boolean {
  const names = ["GANTRY_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "GITHUB_ACTIONS", "BUILDKITE"];
  return names.some((name) => variable(environment, name) !== null);
}

/**
 * The identity token of the job in which the command runs; null: it runs in no job that has one. GANTRY_ID_TOKEN is set by the
 * job itself; GitHub and Buildkite make a token when they are asked.
 */
export async function findIdentityToken(
  context: Pick<CommandContext, "environment" | "signal">,
  audience: string,
): Promise<Result<IdentityToken> | null> {
  const { environment } = context;
  const given = variable(environment, "GANTRY_ID_TOKEN");
  if (given !== null) return succeed({ token: given, isOnlyToken: true });
  const address = variable(environment, "ACTIONS_ID_TOKEN_REQUEST_URL");
  const secret = variable(environment, "ACTIONS_ID_TOKEN_REQUEST_TOKEN");
  if (address !== null && secret !== null) return await askGitHub(context, { address, secret, audience });
  if (variable(environment, "GITHUB_ACTIONS") === "true")
    return stop(
      "not_signed_in",
      "This job cannot request an identity token from GitHub. Add id-token: write to its permissions, or set GANTRY_TOKEN.",
    );
  if (variable(environment, "BUILDKITE") === "true") return await askBuildkite(context, audience);
  return null;
}

/** Source: GitHub, "OpenID Connect reference", Methods for requesting the OIDC token. */
async function askGitHub(
  { signal }: Pick<CommandContext, "signal">,
  {
    address,
    secret,
    audience,
  }: { readonly address: string; readonly secret: string; readonly audience: string },
): Promise<Result<IdentityToken>> {
  const failed = (why: string) =>
    stop("not_signed_in", `The request to GitHub for an identity token failed: ${why}. Run the job again.`);
  if (!URL.canParse(address)) return failed("ACTIONS_ID_TOKEN_REQUEST_URL is not a URL");
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${secret}`, accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!answer.ok) return failed(`status ${answer.status}`);
    const read = GitHubAnswer.safeParse(await answer.json());
    return read.success
      ? succeed({ token: read.data.value, isOnlyToken: false })
      : failed("no token in the answer");
  } catch (error) {
    if (signal.aborted) return stop("interrupted", "No changes were made.");
    return failed(messageOf(error));
  }
}

/** Source: Buildkite, "buildkite-agent oidc". The ID of the pipeline is not in a token unless it is asked for. */
async function askBuildkite(
  { environment, signal }: Pick<CommandContext, "environment" | "signal">,
  audience: string,
): Promise<Result<IdentityToken>> {
  const args = ["oidc", "request-token", "--audience", audience, "--claim", "pipeline_id"];
  return await new Promise((resolve) => {
    const failed = (why: string) =>
      resolve(stop("not_signed_in", `buildkite-agent printed no identity token: ${printable(why)}`));
    const child = spawn("buildkite-agent", args, {
      env: environment,
      signal,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    let problem = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (problem = (problem + text).slice(-MAX_PRINTED)));
    child.on("error", (error) => {
      if (signal.aborted) resolve(stop("interrupted", "No changes were made."));
      else failed(error.message);
    });
    child.on("close", (code) => {
      if (code === 0 && printed.trim() !== "")
        resolve(succeed({ token: printed.trim(), isOnlyToken: false }));
      else failed(problem.trim() || `it ended with exit code ${code}`);
    });
  });
}
