import { EntryFieldset } from "#dashboard/pages/settings/entry-fieldset.tsx";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";

/** The host names of a project's site, and where they lead visitors. */
export function DomainFields(part: SettingsPart) {
  const { project, field } = part;
  return (
    <>
      <fieldset>
        <legend>Host names</legend>
        {field("domain", "Domain", { isCode: true })}
        {field("redirects", "Host names that redirect to the domain", {
          isCode: true,
          lines: 2,
          placeholder: `www.${project.domain}`,
          hint: "One per line.",
        })}
        {field("served_aliases", "Host names that show the same site", {
          isCode: true,
          lines: 2,
          hint: "One per line.",
        })}
      </fieldset>
      <EntryFieldset {...part} />
    </>
  );
}
