import type { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { repositoryFacts } from "#cli/views/repository-facts.ts";

export const projectsTestRepository = defineCommand({
  name: "projects test-repository",
  summary: "Test whether the server can read a project's repository",
  details: [
    "The server lists the branch with the key or login of a deployment, and deploys nothing. Exits with 1 if it cannot read the repository or does not find the branch, and then names the default branch.",
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {
    repository: { kind: "text", short: "r", value: "URL", help: "Another repository than the project's" },
    branch: { kind: "text", short: "b", value: "NAME", help: "Another branch or tag than the project's" },
  },
  examples: [
    "projects test-repository shop",
    "projects test-repository --repository git@github.com:acme/shop",
  ],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const { repository, branch } = options;
    const params = { project_id: found.value.id };
    output.progress.show(() => "The server lists the branch");
    const tested = await client.testRepository({ params, body: givenFields({ repository, branch }) });
    output.progress.hide();
    if (!tested.ok) return tested;
    return printTest(output, tested.value);
  }),
});

function printTest(output: Output, test: RepositoryTest): Outcome {
  output.json(test);
  printFacts(output, repositoryFacts(test, output.style));
  return test.ok ? done : { ok: true, exit: "failed" };
}
