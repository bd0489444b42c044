import { ALL, useAccount, useServers } from "#dashboard/data/resources.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Choice } from "#dashboard/shared/field.tsx";

/** What the project is, where its code comes from, and how it is built. */
export function ProjectFieldsets({ project, draft, change, field }: SettingsPart) {
  const { value: servers } = useServers(ALL);
  const { value: account } = useAccount(ALL);
  const mayMove = account === null || account.token.project_ids === null;
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
        <legend>Project</legend>
        {field("name", "Name")}
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
        {mayMove ? (
          <Choice
            label="Server"
            value={draft.server_id}
            onChange={(id) => change({ server_id: id })}
            hint="The project moves to this server with its next deployment."
          >
            {(servers?.servers ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
        ) : null}
      </fieldset>
      <fieldset>
        <legend>Source</legend>
        {field("repository", "Repository", { isCode: true })}
        {field("branch", "Branch", { isCode: true })}
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
        {field("root_directory", "Root directory", { isCode: true, hint: "Relative to the repository." })}
      </fieldset>
      <fieldset>
        <legend>Build</legend>
        {field("framework", "Framework", {
          isCode: true,
          placeholder: `detected: ${project.framework}`,
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
    </>
  );
}

const commandHints = {
  install_command:
    "Leave empty for the framework's default, or for none if you set a build command that installs what it needs.",
  build_command: "Leave empty for the framework's default.",
};
