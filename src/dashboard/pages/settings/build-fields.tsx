import { isDetectedLater } from "#contract/frameworks/is-detected-later.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Choice } from "#dashboard/shared/field.tsx";

/** Where the code comes from, and how it is built. */
export function BuildFields({ project, draft, change, field }: SettingsPart) {
  const command = (
    name: "install_command" | "build_command",
    label: string,
    skip: string,
    skips: "installsNothing" | "buildsNothing",
  ) => (
    <>
      {draft[skips]
        ? null
        : field(name, label, {
            isCode: true,
            lines: 3,
            placeholder: project[name] ?? "",
            hint: commandHints[name],
          })}
      <label class="check">
        <input
          type="checkbox"
          checked={draft[skips]}
          onChange={(event) => change({ [skips]: event.currentTarget.checked })}
        />
        {skip}
      </label>
    </>
  );
  return (
    <>
      <fieldset>
        <legend>Source</legend>
        {field("repository", "Repository", { isCode: true })}
        {field("branch", "Branch", { isCode: true })}
        {field("root_directory", "Root directory", { isCode: true, hint: "Relative to the repository." })}
      </fieldset>
      <fieldset>
        <legend>Build</legend>
        {field("framework", "Framework", {
          isCode: true,
          placeholder: isDetectedLater(project)
            ? "detected at the first deployment"
            : `detected: ${project.framework}`,
          hint: "Leave empty to detect it from the files of each deployment.",
        })}
        {command("install_command", "Install command", "Skip the installation", "installsNothing")}
        {command("build_command", "Build command", "Skip the build", "buildsNothing")}
        {field("output_directory", "Output directory", {
          isCode: true,
          placeholder: project.output_directory,
          hint: "Leave empty for the framework's default.",
        })}
      </fieldset>
      <Advanced>
        <Choice
          label="Commits by hash"
          value={draft.commits}
          onChange={(commits) => change({ commits })}
          hint="Pull request commits and, on many git hosts, commits of forks are not on any branch or tag."
        >
          <option value="reachable">Only commits on a branch or tag</option>
          <option value="any">Any commit, including pull requests and forks</option>
          <option value="none">None: deploy only branches and tags</option>
        </Choice>
      </Advanced>
    </>
  );
}

const commandHints = {
  install_command:
    "Leave empty for the framework's default, or for none if you set a build command that installs what it needs.",
  build_command: "Leave empty for the framework's default.",
};
