import { createHash } from "node:crypto";

import { Health } from "#contract/endpoints/accounts/schemas.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { isLoopback } from "#contract/loopback.ts";
import { parseJson } from "#contract/parse-json.ts";

import { describeReading } from "../release/reading-region.ts";
import { Problem } from "../shared/problem.ts";
import type { Checklist } from "./checklist.ts";

const TIMEOUT_MS = 15_000;
const YEAR_SECONDS = 31_536_000;

/** Checks what anybody can see of an installation. @param url its origin */
export async function checkAddress(checklist: Checklist, url: string): Promise<void> {
  await checklist.check("the installation responds", async () => {
    const startedAt = performance.now();
    const { database } = Health.parse(parseJson(await textOf(`${url}/healthz?deep=true`)));
    const took = `in ${Math.round(performance.now() - startedAt)} ms`;
    // A local database has no replicas.
    return { value: null, note: database === undefined ? took : `${describeReading(database)}, ${took}` };
  });
  await checkHttps(checklist, url);
  await checklist.check("the dashboard is served", async () => {
    const page = await textOf(`${url}/app`);
    const files = [...page.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    if (files.length === 0) throw new Problem(`${url}/app names no files.`);
    await Promise.all(files.map((path) => textOf(`${url}${path}`)));
    return { value: null, note: `the page and ${files.length} files` };
  });
  await checklist.check("the reference is served", async () => {
    await Promise.all([textOf(`${url}/docs/`), textOf(`${url}/v1/openapi.json`)]);
    return { value: null, note: "/docs/ and /v1/openapi.json" };
  });
  await checklist.check("a wrong token is refused", async () => {
    const response = await get(`${url}/v1/account`, { headers: { Authorization: "Bearer gt_wrong" } });
    if (response.status !== 401) throw new Problem(`A wrong token got ${response.status} instead of 401.`);
    return { value: null, note: "401" };
  });
}

async function checkHttps(checklist: Checklist, url: string): Promise<void> {
  const { protocol, hostname, host } = new URL(url);
  const name = "only HTTPS is served";
  if (isLoopback(hostname)) {
    checklist.leaveOut(name, "the address is of this machine");
    return;
  }
  await checklist.check(name, async () => {
    if (protocol !== "https:") throw new Problem("The address is not an https:// address.");
    const plain = await get(`http://${host}/v1/account`);
    if (plain.ok) throw new Problem(`http://${host} answers with ${plain.status}.`);
    const header = (await get(`${url}/healthz`)).headers.get("Strict-Transport-Security") ?? "";
    const age = Number(/max-age=(\d+)/.exec(header)?.[1] ?? 0);
    if (age < YEAR_SECONDS) throw new Problem(`Strict-Transport-Security is "${header}".`);
    return { value: null, note: `plain HTTP gets ${plain.status}, and the browser remembers HTTPS` };
  });
}

/** Checks that a server can install the agent, with the hash that the installer compares. */
export async function checkInstaller(checklist: Checklist, url: string): Promise<void> {
  await checklist.check("the installer and the agent can be downloaded", async () => {
    const installer = await textOf(`${url}/install.sh`);
    const file = /^agent_file='([\w.-]+)'$/m.exec(installer)?.[1];
    const hash = /^agent_sha256='([0-9a-f]{64})'$/m.exec(installer)?.[1];
    if (file === undefined || hash === undefined) throw new Problem("install.sh names no file of the agent.");
    const agent = await textOf(`${url}/agent/${file}`);
    if (createHash("sha256").update(agent).digest("hex") !== hash)
      throw new Problem(`${url}/agent/${file} has another hash than install.sh expects.`);
    return { value: null, note: `${file}, ${Math.round(agent.length / 1000)} kB` };
  });
}

async function textOf(address: string): Promise<string> {
  const response = await get(address, { redirect: "follow" });
  if (!response.ok) throw new Problem(`${address} answers with ${response.status}.`);
  return await response.text();
}

async function get(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await fetch(address, { redirect: "manual", ...init, signal });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Problem(`${address} does not answer: ${messageOf(cause)}.`);
  }
}
