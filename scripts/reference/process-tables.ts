import { join } from "node:path";

import { processFields } from "#contract/endpoints/processes/process-settings.ts";
import { processFieldTexts } from "#contract/endpoints/processes/texts.ts";
import { repositorySettings, type SettingName } from "#contract/endpoints/projects/project-settings.ts";

import { root } from "../shared/root.ts";
import { withPart } from "./with-part.ts";

export const processesPagePath = join(root, "docs", "processes.md");

/** The keys of gantry.json that are described by themselves; the others are as the settings of a project. */
const keyTexts: Partial<Record<SettingName, string>> = {
  processes: "the processes, by name, with the fields below",
  release_command:
    "the release command of a project that sets none; `null`: none, also if the Procfile has one",
  cron: "[cron jobs](jobs.md#cron): commands that run at the times of a schedule",
};

/**
 * docs/processes.md with the current tables of the keys of gantry.json, and of the fields of a process.
 * @throws if it has no place for them
 */
export function withProcessTables(page: string): string {
  return withPart(withPart(page, "keys", keyTable()), "fields", fieldTable());
}

function keyTable(): string {
  const others = repositorySettings.filter((name) => keyTexts[name] === undefined);
  const rows: readonly (readonly [keys: readonly string[], text: string])[] = [
    ...Object.entries(keyTexts).map(([name, text]) => [[name], text] as const),
    [others, "as the [settings of a project](builds.md), which take precedence"],
    [["url", "project", "name"], "the link that `gantry projects link` writes; only the command reads it"],
  ];
  const lines = rows.map(([keys, text]) => `| ${keys.map((key) => `\`${key}\``).join(", ")} | ${text} |\n`);
  return `| Key | Meaning |\n|---|---|\n${lines.join("")}`;
}

function fieldTable(): string {
  const lines = processFields.map((name) => `| \`${name}\` | ${processFieldTexts[name]} |\n`);
  return `| Field | Meaning |\n|---|---|\n${lines.join("")}`;
}
