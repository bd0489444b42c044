import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";

/** The headers with the event's name, by forge. Gitea also sends GitHub's headers, so GitHub is last. */
const eventHeaders: readonly (readonly [HookForge, header: string])[] = [
  ["git", "x-gantry-event"],
  ["gitea", "x-forgejo-event"],
  ["gitea", "x-gitea-event"],
  ["gitlab", "x-gitlab-event"],
  ["bitbucket", "x-event-key"],
  ["github", "x-github-event"],
];

const deliveryHeaders: Readonly<Record<HookForge, readonly string[]>> = {
  github: ["x-github-delivery"],
  gitlab: ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"],
  gitea: ["x-forgejo-delivery", "x-gitea-delivery"],
  bitbucket: ["x-request-uuid"],
  git: ["x-gantry-delivery"],
  registry: [],
};

/** The forge that sent a request, by its headers; null: none of these. */
export function forgeOf(headers: Headers): HookForge | null {
  return eventHeaders.find(([, header]) => headers.has(header))?.[0] ?? null;
}

/** The forge's name of the event, and its id of the delivery. Neither is signed. */
export function namesOf(
  forge: HookForge,
  headers: Headers,
): { readonly event: string | null; readonly deliveryId: string | null } {
  const ofForge = eventHeaders.flatMap(([one, header]) => (one === forge ? [header] : []));
  return { event: first(headers, ofForge), deliveryId: first(headers, deliveryHeaders[forge]) };
}

/** The value of the first of these headers that a request has; null: it has none. */
export function first(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) return value.slice(0, 200);
  }
  return null;
}
