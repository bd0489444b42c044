import type { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const projectsTestRepository = defineCommand({
  name: "projects test-repository",
  summary: "Test whether the server can read a project's repository",
  details: [
    "The server lists the branch with the key or login of a deployment, and deploys nothing. Exits with 1 if it cannot read it.",
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
  if (!test.ok) {
    printFacts(output, [
      ["result", output.style.red("the server cannot read the repository")],
      ["reason", test.code],
      ...test.message.split("\n").map((line, at) => [at === 0 ? "message" : "", line] as const),
      ["tried", test.tried],
      ["steps", test.steps_url],
    ]);
    return { ok: true, exit: "failed" };
  }
  const { host_key: key } = test;
  const keyText = key === null ? null : `${key.host} ${key.fingerprint} (${key.type})`;
  printFacts(output, [
    ["result", output.style.green("the server can read the repository")],
    ["branch", test.branch],
    ["commit", test.commit_sha],
    ["tried", test.tried],
    [key?.is_new === true ? "new host key" : "host key", keyText],
  ]);
  return done;
}
