import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { pathTo } from "#dashboard/router/route.ts";

/** Which pushes are deployed. */
export function PushFieldset({ project, draft, change, field }: SettingsPart) {
  const patterns = { isCode: true, lines: 2 } as const;
  return (
    <fieldset>
      <legend>Pushes</legend>
      <p class="quiet">
        The git host reports pushes to the repository's hook, which is on the page{" "}
        <a href={pathTo({ page: "pushes", id: project.id })}>Pushes</a>. Patterns are one per line, such as{" "}
        <code>release/*</code>.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.deploysPushes}
          onChange={(event) => change({ deploysPushes: event.currentTarget.checked })}
        />
        Deploy pushes to this project
      </label>
      {draft.deploysPushes ? (
        <>
          {field("push_branches", "Branches to deploy", { ...patterns, placeholder: project.branch })}
          {field("push_tags", "Tags to deploy", { ...patterns, placeholder: "none" })}
          {field("push_paths", "Only if these files changed", { ...patterns, placeholder: "any file" })}
          {field("push_ignore_paths", "Not if only these files changed", {
            ...patterns,
            placeholder: "none",
          })}
          {field("push_skip_markers", "Texts in a commit message that skip its deployment", patterns)}
          <label class="check">
            <input
              type="checkbox"
              checked={draft.pollsPushes}
              onChange={(event) => change({ pollsPushes: event.currentTarget.checked })}
            />
            Look for pushes every five minutes, for a repository without a hook
          </label>
        </>
      ) : null}
    </fieldset>
  );
}
