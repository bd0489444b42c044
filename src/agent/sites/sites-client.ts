import * as z from "zod/mini";

import { sendRequest } from "#agent/lib/http/send-request.ts";
import { WebAddress } from "#contract/addresses/web-address.ts";
import { pause } from "#contract/lib/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";

/** The site server, which serves projects on this machine. */
export type Sites = {
  /** `none`: this server has no site server. */
  readonly kind: "none" | "local";
  /** @returns the site's URL; `null` without a site server, or before the project is registered */
  urlOf(projectId: ProjectId): string | null;
  /**
   * Has the site server serve a project. @returns the URL; `null` when there is no site server or it does not answer
   */
  register(projectId: ProjectId, directory: string): Promise<string | null>;
  /** Has the site server stop serving a project. @throws when it does not answer */
  unregister(projectId: ProjectId): Promise<void>;
};

const Answer = z.object({ url: WebAddress });

const TRIES = 4;
const BETWEEN_TRIES_MS = 250;
const ANSWER_MS = 5_000;

export const noSites: Sites = {
  kind: "none",
  urlOf: () => null,
  register: async () => null,
  unregister: async () => undefined,
};

export function createSites(socketPath: string, log: (message: string) => void): Sites {
  const urls = new Map<ProjectId, string>();

  /** @returns the body of the answer; `null` without one, or after an error */
  async function request(projectId: ProjectId, put: { directory: string } | null): Promise<string | null> {
    const answer = await sendRequest({
      url: new URL(`http://sites.localhost/projects/${projectId}`),
      ...(put === null ? { method: "DELETE" } : { method: "PUT", body: JSON.stringify(put) }),
      headers: { "content-type": "application/json" },
      socketPath,
      timeoutMs: ANSWER_MS,
      maxBodyBytes: 4096,
    });
    return answer.kind === "answered" && answer.status === 200 ? answer.body : null;
  }

  async function register(projectId: ProjectId, directory: string): Promise<string | null> {
    for (let tries = 1; ; tries += 1) {
      const answer = Answer.safeParse(parseJson((await request(projectId, { directory })) ?? ""));
      if (answer.success) {
        const url = answer.data.url.replace(/\/$/, "");
        urls.set(projectId, url);
        return url;
      }
      if (tries === TRIES) break;
      // The site server is started together with the agent and may need a moment.
      await pause(BETWEEN_TRIES_MS);
    }
    log(`the site server at ${socketPath} does not serve ${projectId}`);
    return urls.get(projectId) ?? null;
  }

  async function unregister(projectId: ProjectId): Promise<void> {
    if ((await request(projectId, null)) === null)
      throw new Error(`the site server at ${socketPath} does not answer`);
    urls.delete(projectId);
  }

  return { kind: "local", urlOf: (projectId) => urls.get(projectId) ?? null, register, unregister };
}
