import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { DEFAULT_DOCKERFILE, DOCKERFILE } from "#contract/endpoints/projects/settings.ts";
import { isDetectedLater } from "#project-files/frameworks/is-detected-later.ts";
import { publishesNothing } from "#project-files/frameworks/publishes-nothing.ts";
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
  const framework = draft.framework.trim() || project.framework;
  const names = ["dockerfile_path", "dockerfile_context", "dockerfile_target"] as const;
  const isContainer = framework === DOCKERFILE || names.some((name) => draft[name].trim() !== "");
  const isImage = isImageRepository(draft.repository.trim());
  return (
    <>
      <fieldset>
        <legend>Source</legend>
        {field("repository", "Repository", { isCode: true })}
        {field("branch", isImage ? "Tag" : "Branch", { isCode: true })}
        {field("root_directory", "Root directory", { isCode: true, hint: "Relative to the repository." })}
      </fieldset>
      <fieldset>
        <legend>Build</legend>
        {isImage ? (
          <p class="quiet">The repository has images, which are built elsewhere: leave these fields empty.</p>
        ) : null}
        {field("framework", "Framework", {
          isCode: true,
          placeholder: isDetectedLater(project)
            ? "detected at the first deployment"
            : `detected: ${project.framework}`,
          hint: "Leave empty to detect it from the files of each deployment.",
        })}
        {isContainer ? (
          <>
            {field("dockerfile_path", "Dockerfile", {
              isCode: true,
              placeholder: DEFAULT_DOCKERFILE,
              hint: "Relative to the root directory. Its instructions install and build the app, so leave the commands below empty.",
            })}
            {field("dockerfile_context", "Directory to copy files from", {
              isCode: true,
              placeholder: ".",
              hint: "Relative to the root directory.",
            })}
            {field("dockerfile_target", "Stage of the image", {
              isCode: true,
              placeholder: "the last one",
            })}
          </>
        ) : null}
        {command("install_command", "Install command", "Skip the installation", "installsNothing")}
        {command("build_command", "Build command", "Skip the build", "buildsNothing")}
        {field("output_directory", "Output directory", {
          isCode: true,
          placeholder: isDetectedLater(project)
            ? "detected at the first deployment"
            : publishesNothing(project)
              ? "none: the app answers requests itself"
              : project.output_directory,
          hint: publishesNothing(project)
            ? "Leave empty to publish no files."
            : "Leave empty for the framework's default.",
        })}
      </fieldset>
      {project.app_type === "server" ? null : (
        <fieldset>
          <legend>Pages</legend>
          <Choice
            label="Addresses"
            value={draft.trailing_slash}
            onChange={(trailing_slash) => change({ trailing_slash })}
            hint="Other spellings redirect. Counts from the next deployment on."
          >
            <option value="">Automatic: as the files are named</option>
            <option value="auto">As the files are named: /about or /about/</option>
            <option value="always">With a slash at the end: /about/</option>
            <option value="never">Without a slash at the end: /about</option>
            <option value="ignore">Every spelling shows the page</option>
          </Choice>
          {draft.hasNoFallback
            ? null
            : field("fallback", "Page for paths without a file", {
                isCode: true,
                placeholder: project.fallback ?? "none",
                hint: "For a single-page app, with the status 200. Leave empty for the framework's default.",
              })}
          <label class="check">
            <input
              type="checkbox"
              checked={draft.hasNoFallback}
              onChange={(event) => change({ hasNoFallback: event.currentTarget.checked })}
            />
            Paths without a file are missing (404)
          </label>
        </fieldset>
      )}
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
