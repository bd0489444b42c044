import { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { done } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { deploymentColumns, deploymentRow } from "#cli/views/deployment-text.ts";

export const deploymentsList = defineCommand({
  name: "deployments list",
  isGroupDefault: true,
  summary: "List deployments, newest first",
  words: {},
  options: {
    all: { kind: "flag", short: "a", help: "List deployments of all projects" },
    status: { kind: "list", value: "STATUS", choices: DeploymentStatus.options, help: "Filter by status" },
    branch: { kind: "text", short: "b", value: "NAME", help: "Filter by branch" },
    ...limitOption("deployments"),
  },
  examples: ["deployments", "deployments --status failed -n 5 --json"],
  run: withSession(async (session, { options }) => {
    const { client, output } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const project = options.all ? null : await findProject(session);
    if (project !== null && !project.ok) return project;
    const filters = givenFields({
      project_id: project === null ? null : project.value.id,
      status: options.status.length === 0 ? null : options.status.join(","),
      branch: options.branch,
    });
    const rows = await readAll(
      ({ query }) => client.listDeployments({ query: { ...filters, ...query } }),
      (page) => page.deployments,
      limit.value,
    );
    if (!rows.ok) return rows;
    output.json({ deployments: rows.value });
    const projects = options.all ? rows.value.map(({ project_id }) => project_id) : [];
    const nameOf = await projectNames(session, projects);
    output.table(
      options.all ? ["PROJECT", ...deploymentColumns] : deploymentColumns,
      rows.value.map((row) => [
        ...(options.all ? [nameOf(row.project_id)] : []),
        ...deploymentRow(row, output),
      ]),
    );
    return done;
  }),
});
