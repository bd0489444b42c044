import { MAX_ALIASES } from "#contract/endpoints/projects/settings.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import type { Draft, DraftName } from "#dashboard/pages/settings/draft.ts";
import { entriesOf } from "#dashboard/pages/settings/lines.ts";

/** The paths of a field's errors. */
export function errorPaths(name: DraftName, draft: Draft): RegExp[] {
  const [, inCheck] = /^health_(.+)$/.exec(name) ?? [];
  const [, limit] = /^limit_(.+)$/.exec(name) ?? [];
  if (limit !== undefined) return [new RegExp(`^limits\\.${limit}$`)];
  const [, ofPush] = /^push_(.+)$/.exec(name) ?? [];
  if (ofPush !== undefined) return [new RegExp(`^deploy_on\\.${ofPush}(\\.|$)`)];
  const [, ofDockerfile] = /^dockerfile_(.+)$/.exec(name) ?? [];
  if (ofDockerfile !== undefined) return [new RegExp(`^dockerfile\\.${ofDockerfile}$`)];
  if (name === "rollout_canary") return [/^rollout\.canary(\.size)?$/];
  const [, ofRollout] = /^rollout_(.+)$/.exec(name) ?? [];
  if (ofRollout !== undefined) return [new RegExp(`^rollout\\.${ofRollout}$`)];
  if (name === "health_check") return [/^health_check(\.(path|url))?$/];
  if (inCheck !== undefined) return [new RegExp(`^health_check\\.${inCheck}$`)];
  if (name === "redirects" || name === "served_aliases") {
    // Both fields are one list in the API.
    const count = entriesOf(draft.redirects).length;
    const isOwn = (at: number) => at < count === (name === "redirects");
    return Array.from({ length: MAX_ALIASES + 1 }, (_, at) => at)
      .filter(isOwn)
      .map((at) => new RegExp(`^aliases\\.${at}(\\.|$)`));
  }
  if (Object.hasOwn(defaultTimeouts, name)) return [new RegExp(`^timeouts\\.${name}$`)];
  return [new RegExp(`^${name}(\\.|$)`)];
}
