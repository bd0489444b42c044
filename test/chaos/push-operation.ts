import { createHmac } from "node:crypto";

import { DeliveryAnswer, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";

import type { Site } from "../support/faults/site.ts";
import type { SourceCommit } from "../support/faults/source.ts";
import type { Chance } from "./chance.ts";
import type { Chaos } from "./chaos.ts";

type Hook = Pick<HookWithSecret, "id" | "secret">;

const hooks = new WeakMap<Site, Hook>();

/** The hook of a site's repository, which is created at the first push. A retry gets the same one. */
async function hookOf({ installation: { requests } }: Chaos, site: Site): Promise<Hook | null> {
  const known = hooks.get(site);
  if (known !== undefined) return known;
  const secret = `secret-of-the-hook-of-${site.name}`;
  const asked = { forge: "gitea", repository: site.source.url, secret };
  const { data } = HookWithSecret.safeParse((await requests.send("POST", "/v1/hooks", asked))?.json);
  if (data !== undefined) hooks.set(site, data);
  return data ?? null;
}

/**
 * Reports a push as Gitea does: sometimes twice, and perhaps of a commit that is no longer the branch's tip.
 * @returns what the hook answered
 */
export async function reportPush(
  chaos: Chaos,
  site: Site,
  { sha }: SourceCommit,
  chance: Chance,
): Promise<string> {
  const { requests, ledger } = chaos.installation;
  const hook = await hookOf(chaos, site);
  if (hook === null) return "no hook";
  const body = {
    ...{ ref: "refs/heads/main", before: "0".repeat(40), after: sha, commits: [], total_commits: 0 },
    repository: { full_name: site.source.repository.path.slice(1) },
    pusher: { login: "alice" },
  };
  const signature = createHmac("sha256", hook.secret).update(JSON.stringify(body)).digest("hex");
  const headers = { "x-gitea-event": "push", "x-gitea-signature": signature };
  // All deliveries of a push start at most one deployment. Nobody gets its id if the answer is lost.
  ledger.unanswered.set(site.projectId, (ledger.unanswered.get(site.projectId) ?? 0) + 1);
  const deliver = () => requests.send("POST", `/v1/hooks/${hook.id}/receive`, body, headers);
  const answers = await Promise.all(chance.happens(0.3) ? [deliver(), deliver()] : [deliver()]);
  return answers
    .map((answer) => DeliveryAnswer.safeParse(answer?.json).data?.detail ?? answer?.text ?? "no answer")
    .join(", ");
}
