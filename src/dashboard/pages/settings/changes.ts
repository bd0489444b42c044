import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { settingsWith, settingUses } from "#contract/endpoints/projects/project-settings.ts";
import type { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { runStages, timeoutName } from "#contract/stages.ts";
import { cronChange } from "#dashboard/pages/settings/cron-draft.ts";
import { type Draft, draftOf, Edits } from "#dashboard/pages/settings/draft.ts";
import { entryChanges } from "#dashboard/pages/settings/entry-draft.ts";
import { entriesOf } from "#dashboard/pages/settings/lines.ts";
import { processChanges } from "#dashboard/pages/settings/process-draft.ts";
import { pushChanges } from "#dashboard/pages/settings/push-draft.ts";
import { serverChanges } from "#dashboard/pages/settings/server-draft.ts";

const timeoutNames = [...runStages.map(timeoutName), "queue_seconds"] as const;
const healthNames = [
  "health_status",
  "health_tries",
  "health_interval_seconds",
  "health_timeout_seconds",
] as const;
/** The settings whose text is their value. Automatic ones are empty for more than one reason. */
const plainSettings = settingsWith("kind", "text", "number", "optional", "lines");

function valueOf(name: (typeof plainSettings)[number], text: string): unknown {
  switch (settingUses[name].kind) {
    case "text":
      return text.trim();
    case "number":
      return Number(text);
    case "optional":
      return text.trim() || null;
    case "lines":
      return entriesOf(text);
  }
}

/** The fields of the Dockerfile. An empty one has its default. */
const dockerfileNames = ["path", "context", "target"] as const;

function dockerfileOf(draft: Draft): unknown {
  const given = dockerfileNames
    .map((name) => [name, draft[`dockerfile_${name}`].trim()] as const)
    .filter(([, text]) => text !== "");
  return given.length === 0 ? null : Object.fromEntries(given);
}

const limitNames = ["memory_mb", "cpu_weight", "tasks"] as const;

/** An empty limit becomes the server's. */
function limitOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

/** The changes as the body of a PATCH, not validated yet. Unchanged settings are omitted. */
export function changesOf(draft: Draft, project: Project): Record<string, unknown> {
  const before = draftOf(project);
  const changes: Record<string, unknown> = {};
  const isChanged = (name: keyof Draft) => draft[name] !== before[name];
  for (const name of plainSettings) if (isChanged(name)) changes[name] = valueOf(name, draft[name]);
  if (isChanged("artifact_uploads")) changes["artifact_uploads"] = draft.artifact_uploads;
  const limits = limitNames.filter((name) => isChanged(`limit_${name}`));
  if (limits.length > 0)
    changes["limits"] = Object.fromEntries(limits.map((name) => [name, limitOf(draft[`limit_${name}`])]));
  if (isChanged("redirects") || isChanged("served_aliases"))
    changes["aliases"] = [
      ...entriesOf(draft.redirects).map((domain) => ({ domain, redirect: true })),
      ...entriesOf(draft.served_aliases).map((domain) => ({ domain, redirect: false })),
    ];
  const processes = processChanges(draft.processes, project);
  if (Object.keys(processes).length > 0) changes["processes"] = processes;
  const deployOn = pushChanges(draft, project.deploy_on);
  if (Object.keys(deployOn).length > 0) changes["deploy_on"] = deployOn;
  const cron = cronChange(draft.cron, project.cron);
  if (cron !== null) changes["cron"] = cron;
  if (isChanged("health_check") || (draft.health_check.trim() !== "" && healthNames.some(isChanged)))
    changes["health_check"] = healthCheck(draft);
  if (dockerfileNames.some((name) => isChanged(`dockerfile_${name}`)))
    changes["dockerfile"] = dockerfileOf(draft);
  const timeouts = timeoutNames.filter(isChanged).map((name) => [name, Number(draft[name])] as const);
  if (timeouts.length > 0) changes["timeouts"] = Object.fromEntries(timeouts);
  return {
    ...changes,
    ...serverChanges(draft, project),
    ...entryChanges(draft, project),
    ...automaticChanges(draft, isChanged),
  };
}

/** The edits, or null if they do not differ from the saved project. */
export function editsAfter(edits: Edits, project: Project): Edits | null {
  const changes = changesOf({ ...draftOf(project), ...edits }, project);
  return Object.keys(changes).length === 0 ? null : edits;
}

/** The edits that were made after a draft was sent. */
export function editsSince(sent: Edits | null, now: Edits | null): Edits {
  const isSent = ([name, value]: [string, unknown]) =>
    new Map(Object.entries(sent ?? {})).get(name) === value;
  return Edits.parse(Object.fromEntries(Object.entries(now ?? {}).filter((edit) => !isSent(edit))));
}

/** Each setting that can be none, with the check box for it. */
const optionalNames = [
  ["install_command", "installsNothing"],
  ["build_command", "buildsNothing"],
  ["fallback", "hasNoFallback"],
] as const;

function automaticChanges(draft: Draft, isChanged: (name: keyof Draft) => boolean): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  const automatic: AutomaticSetting[] = [];
  for (const name of settingsWith("kind", "automatic")) {
    if (!isChanged(name)) continue;
    if (draft[name].trim() === "") automatic.push(name);
    else changes[name] = draft[name].trim();
  }
  for (const [name, skips] of optionalNames) {
    if (!isChanged(name) && !isChanged(skips)) continue;
    if (draft[skips]) changes[name] = null;
    else if (draft[name].trim() === "") automatic.push(name);
    else changes[name] = draft[name].trim();
  }
  return automatic.length === 0 ? changes : { ...changes, automatic };
}

function healthCheck(draft: Draft): unknown {
  const given = draft.health_check.trim();
  if (given === "") return null;
  return {
    ...(given.startsWith("/") ? { path: given } : { url: given }),
    status: Number(draft.health_status),
    tries: Number(draft.health_tries),
    interval_seconds: Number(draft.health_interval_seconds),
    timeout_seconds: Number(draft.health_timeout_seconds),
  };
}
