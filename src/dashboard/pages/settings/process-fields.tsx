import { ProcessesFieldset } from "#dashboard/pages/settings/processes-fieldset.tsx";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";

/** The settings of the processes that keep running on the server. */
export function ProcessFields({ project, draft, change, field, errors }: SettingsPart) {
  return (
    <>
      <fieldset>
        <legend>Processes</legend>
        <ProcessesFieldset
          project={project}
          edits={draft.processes}
          onChange={(processes) => change({ processes })}
          errors={errors}
        />
      </fieldset>
      <Advanced>
        {field("drain_seconds", "Seconds for replaced instances to finish their requests", {
          type: "number",
        })}
      </Advanced>
    </>
  );
}
