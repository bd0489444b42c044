import type { DeploymentChange } from "#contract/endpoints/deployments/schemas.ts";
import type { LaneDeployment, Named, Plan } from "#domain/lane/lane.ts";
import { namedSettings } from "#domain/lane/plan-differences.ts";

/** The most changes that are stored, and the longest value that is shown. */
const MAX_CHANGES = 50;
const MAX_VALUE = 100;

/** A process without the setting runs as many instances as the repository says, or one. */
const INSTANCES = /^processes\.(.+)\.instances$/;

type Applied = Pick<LaneDeployment, "variables" | "restart" | "repositoryInstances"> & {
  readonly plan: Plan;
};

/**
 * What a deployment of the live code changes besides the code: its settings, its variables and the processes that it
 * restarts. @returns null: the settings that are live are not known
 */
export function configChanges(live: Named<"live"> | null, applied: Applied): DeploymentChange[] | null {
  const plan = live?.state.plan ?? null;
  if (live === null || plan === null) return null;
  const revisions = [live, applied].map(({ variables }) => variables?.revision || null);
  const [before = null, after = null] = revisions;
  const variables: DeploymentChange[] =
    before === after
      ? []
      : [{ setting: "variables", before: revisionText(before), after: revisionText(after) }];
  const restarted = applied.restart.map((name) => ({
    setting: `processes.${name}.restart`,
    before: null,
    after: null,
  }));
  return [...restarted, ...settingChanges(plan, applied), ...variables].slice(0, MAX_CHANGES);
}

function settingChanges(live: Plan, { plan, repositoryInstances }: Applied): DeploymentChange[] {
  const [before, after] = [namedSettings(live), namedSettings(plan)];
  const instancesOf = new Map(Object.entries(repositoryInstances));
  const valueOf = (setting: string, json: string | undefined): string | null => {
    const process = INSTANCES.exec(setting)?.[1];
    if (json === undefined && process !== undefined) return `${instancesOf.get(process) ?? 1}`;
    return shownValue(setting, json);
  };
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((setting) => before.get(setting) !== after.get(setting))
    .map((setting) => ({
      setting,
      before: valueOf(setting, before.get(setting)),
      after: valueOf(setting, after.get(setting)),
    }));
}

const revisionText = (revision: number | null): string | null => (revision === null ? null : `${revision}`);

/** A short value; null: there is none, it is too long, or it may contain a login. @param json the value as JSON */
function shownValue(setting: string, json: string | undefined): string | null {
  if (json === undefined || json === "null" || setting === "repository" || /^[[{]/.test(json)) return null;
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  return text.length > MAX_VALUE ? null : text;
}
