import type { VNode } from "preact";

import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { BuildFields } from "#dashboard/pages/settings/build-fields.tsx";
import { CronFieldset } from "#dashboard/pages/settings/cron-fieldset.tsx";
import { DangerZone } from "#dashboard/pages/settings/danger-zone.tsx";
import { DnsRecords } from "#dashboard/pages/settings/dns-records.tsx";
import { DomainFields } from "#dashboard/pages/settings/domain-fields.tsx";
import { GeneralFields } from "#dashboard/pages/settings/general-fields.tsx";
import { ProcessFields } from "#dashboard/pages/settings/process-fields.tsx";
import { PushFieldset } from "#dashboard/pages/settings/push-fieldset.tsx";
import { ReleaseFields } from "#dashboard/pages/settings/release-fields.tsx";
import { SettingsForm } from "#dashboard/pages/settings/settings-form.tsx";
import { SettingsFrame } from "#dashboard/pages/settings/settings-frame.tsx";
import { type SettingsPage, settingsPages } from "#dashboard/pages/settings/settings-pages.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Show } from "#dashboard/shared/show.tsx";

/** The fields of each page. */
const fieldsOf: Readonly<Record<SettingsPage, (part: SettingsPart) => VNode>> = {
  settings: GeneralFields,
  settings_build: BuildFields,
  settings_domains: DomainFields,
  settings_releases: ReleaseFields,
  settings_processes: ProcessFields,
  settings_cron: ({ project, draft, change, errors }) => (
    <CronFieldset
      jobs={draft.cron}
      repository={project.repository_definitions.cron}
      onChange={(cron) => change({ cron })}
      errors={errors}
    />
  ),
  settings_pushes: PushFieldset,
};

/** A part of a project's settings. The first page also has what cannot be undone. */
export function Settings({ id, page }: { readonly id: ProjectId; readonly page: SettingsPage }) {
  const project = useProject(id);
  return (
    <SettingsFrame id={id} page={page} title={settingsPages[page]}>
      <Show of={project} what="the project">
        {(value) => (
          <>
            <SettingsForm project={value} page={page} fields={fieldsOf[page]} onSaved={project.reload}>
              {page === "settings_domains" ? <DnsRecords project={value} /> : null}
            </SettingsForm>
            {page === "settings" ? <DangerZone project={value} /> : null}
          </>
        )}
      </Show>
    </SettingsFrame>
  );
}
