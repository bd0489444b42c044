import type { VNode } from "preact";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Draft, DraftName, Edits } from "#dashboard/pages/settings/draft.ts";
import type { FieldProps } from "#dashboard/shared/field.tsx";

/** What the fieldsets of the settings form have in common. */
export type SettingsPart = {
  /** As it is saved. */
  readonly project: Project;
  readonly draft: Draft;
  readonly change: (part: Edits) => void;
  /** A field for a text of the draft, with its error. */
  readonly field: (name: DraftName, label: string, more?: Partial<FieldProps>) => VNode;
  /** The errors of the whole form, by their paths. */
  readonly errors: Readonly<Record<string, string>>;
};
