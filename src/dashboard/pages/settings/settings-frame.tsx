import type { ComponentChildren } from "preact";

import type { ProjectId } from "#contract/ids.ts";
import { settingsLinks, type SettingsPage } from "#dashboard/pages/settings/settings-pages.ts";
import { projectLinks } from "#dashboard/shared/project-links.ts";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { SectionNav } from "#dashboard/shared/section-nav.tsx";

type Props = {
  readonly id: ProjectId;
  readonly page: SettingsPage | "repository";
  readonly title: string;
  readonly children: ComponentChildren;
};

/** A page of a project's settings, with the navigation of the others at its side. */
export function SettingsFrame({ id, page, title, children }: Props) {
  return (
    <ProjectFrame id={id} section="settings" title={title}>
      <div class="with-side">
        <SectionNav label="Settings" links={projectLinks(settingsLinks, id, page)} isAtSide />
        <div class="settings">{children}</div>
      </div>
    </ProjectFrame>
  );
}
