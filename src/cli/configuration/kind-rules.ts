import type { KindName } from "#cli/configuration/item.ts";
import { documentName, partOf } from "#cli/configuration/schema-parts.ts";
import { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";

/** What a plan may do with a kind. */
export type KindRules = {
  readonly canCreate: boolean;
  readonly canDelete: boolean;
  readonly canRename: boolean;
  /** The fields that are tables with names of the user. What only the installation has in them stays. */
  readonly grows: readonly string[] | "all";
  /** The fields that become automatic if the file does not have them. */
  readonly automatic: readonly string[];
};

const usual = { canCreate: true, canDelete: true, canRename: false, grows: [], automatic: [] } as const;

/** The settings of a project that are tables, such as `processes` and `cron`. */
const tables = Object.entries(CreateProjectInput.shape).flatMap(([name, schema]) => {
  const part = partOf(schema);
  const isTable = part.type === "record" || (part.type === "list" && part.key !== null);
  return isTable ? [documentName(name, schema)] : [];
});

const rules: { readonly [Kind in KindName]: KindRules } = {
  account: { ...usual, canCreate: false, canDelete: false },
  projects: {
    ...usual,

    canRename: true,
    grows: tables,
    automatic: AutomaticSetting.options,
  },
  variables: { ...usual, canDelete: false, grows: "all" },
  hooks: usual,
  webhooks: usual,
  freezes: usual,
  trust_rules: usual,
  // People join and leave by themselves, or by an invitation.
  members: { ...usual, canCreate: false, canDelete: false },
};

export function rulesOf(kind: KindName): KindRules {
  return rules[kind];
}
