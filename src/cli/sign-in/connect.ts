import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

import { type ClientOf, createClientOf } from "#client/client.ts";
import type { Failed } from "#client/answer.ts";
import type { Transport } from "#client/request.ts";
import { isTemporary } from "#client/retry.ts";
import { connectCode } from "#contract/endpoints/connect/connect-code.ts";
import { connectEndpoints } from "#contract/endpoints/connect/endpoints.ts";
import { CONNECT_MINUTES } from "#contract/endpoints/connect/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { isLoopback } from "#contract/loopback.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { browserProgram, openBrowser } from "#cli/session/open-browser.ts";
import { listenForProof, type ProofListener } from "#cli/sign-in/proof-listener.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import { attempt } from "#node/attempt.ts";

const POLL_MS = 2_000;
const TIMEOUT_MS = 30_000;

/** The longest name of a token. */
const MAX_NAME = 100;

/**
 * Signs in by the browser: the person allows it on a page of the installation, and the command takes the token.
 * @param url of the installation
 * @param opens whether to open the page in a browser on this machine
 */
export async function connect(context: CommandContext, url: string, opens: boolean): Promise<Result<string>> {
  const site = passkeyUrl(url);
  if (!site.ok) return site;
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const canOpen = opens && browserProgram(context) !== null;
  const client = createClientOf(connectEndpoints, transportTo(url, context.signal));
  // Before the code is shown: the person should not wait for an address that does not respond.
  const first = await client.claimToken({ body: { verifier } });
  if (first.ok) return succeed(first.value.token);
  const ended = endOf(first, context.signal);
  if (ended !== null) return ended;
  if (first.problem.status === 0) return first;
  const listener = canOpen ? await listenForProof(site.value) : null;
  try {
    if (site.value !== url)
      context.output.note(`Passkeys need a host name, so the page is at ${site.value}.`);
    // A person who opens the printed address may sit at another machine, which the proof would not leave.
    showAddress(context, pageOf(site.value, challenge, null), challenge);
    if (canOpen) openBrowser(context, pageOf(site.value, challenge, listener));
    return await waitForToken(context, client, verifier, listener);
  } finally {
    context.output.progress.hide();
    listener?.close();
  }
}

/** The URL of the installation at which a browser can use passkeys: they need a host name. */
function passkeyUrl(url: string): Result<string> {
  const site = new URL(url);
  const isIp = site.hostname.startsWith("[") || /^[\d.]+$/.test(site.hostname);
  if (!isIp) return succeed(url);
  if (!isLoopback(site.hostname))
    return stop(
      "usage",
      `You cannot sign in by the browser at ${url}, because passkeys need a host name. Pass the URL of the installation with its host name, or use a token: gantry login ${url} --with-token`,
    );
  return succeed(url.replace(site.host, site.port === "" ? "localhost" : `localhost:${site.port}`));
}

/** The address of the page. Its fragment is not sent to the server. */
function pageOf(url: string, challenge: string, listener: ProofListener | null): string {
  const name = attempt(hostname, "").slice(0, MAX_NAME);
  const given = new URLSearchParams({ challenge, ...(name === "" ? {} : { name }) });
  if (listener !== null) given.set("port", String(listener.port));
  return `${dashboardPage(url, "/connect")}#${given.toString()}`;
}

function showAddress({ stderr, output }: CommandContext, address: string, challenge: string): void {
  const text = `Open ${address}\nand type the code ${connectCode(challenge)}`;
  // A program that reads JSON from stdout still has a person who must open the page.
  if (output.form === "json") stderr.write(`${text}\n`);
  else for (const line of text.split("\n")) output.note(line);
}

/**
 * Asks for the token until a person has allowed it.
 * @param verifier the secret of the command: who has it can take the token
 */
async function waitForToken(
  context: CommandContext,
  client: ClientOf<typeof connectEndpoints>,
  verifier: string,
  listener: ProofListener | null,
): Promise<Result<string>> {
  const { output, signal } = context;
  const startedAt = performance.now();
  const until = startedAt + CONNECT_MINUTES * 60_000;
  output.progress.show(() => {
    const waited = durationText((performance.now() - startedAt) / 1000);
    return output.style.dim(`Waiting until you allow it in the browser  ${waited}`);
  });
  while (performance.now() < until) {
    const proof = listener?.proof() ?? null;
    const claimed = await client.claimToken({ body: { verifier, ...(proof === null ? {} : { proof }) } });
    if (claimed.ok) return succeed(claimed.value.token);
    const ended = endOf(claimed, signal);
    if (ended !== null) return ended;
    await pauseUntilProof(Math.max(POLL_MS, claimed.retryAfterMs ?? 0), listener, signal);
    if (signal.aborted) return stop("interrupted", "You are not signed in.");
  }
  return stop(
    "not_signed_in",
    `Nobody has allowed this sign-in in ${CONNECT_MINUTES} minutes. Run gantry login again.`,
  );
}

/** The end of the sign-in after a claim without a token; null: a later claim may get it. */
function endOf(claimed: Failed, signal: AbortSignal): Failed | null {
  if (signal.aborted) return stop("interrupted", "You are not signed in.");
  const { code, status } = claimed.problem;
  if (code === "not_found" || code === "method_not_allowed")
    return stop(
      "not_signed_in",
      "This installation is too old for a sign-in by the browser. Use gantry login --with-token.",
    );
  return code === "sign_in_pending" || isTemporary(status) ? null : claimed;
}

async function pauseUntilProof(
  ms: number,
  listener: ProofListener | null,
  signal: AbortSignal,
): Promise<void> {
  const received = new AbortController();
  if (listener !== null) listener.onProof = () => received.abort();
  await pause(ms, AbortSignal.any([signal, received.signal]));
}

function transportTo(url: string, signal: AbortSignal): Transport {
  return {
    baseUrl: url,
    token: null,
    fetch: (address, init) => {
      const headers = new Headers(init.headers);
      headers.set("user-agent", `gantry-command/${COMMAND_VERSION}`);
      const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      // A redirect could send the verifier to another host.
      return fetch(address, { ...init, headers, signal: either, redirect: "manual" });
    },
  };
}
