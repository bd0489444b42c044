import type { RepositoryTest, RepositoryTestCode } from "#contract/endpoints/projects/repository-access.ts";
import type { Fact } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";

/** For the codes with which the repository was read, or was not tried. */
const resultTexts: Partial<Record<RepositoryTestCode, string>> = {
  branch_not_found: "the server can read the repository, which does not have this branch",
  refused_by_policy: "the server's policy does not allow this repository",
  too_many_tests: "not tested: too many tests at once",
};

/** The result of a repository test, to be printed. Texts of the agent lose their colours, which could hide a part. */
export function repositoryFacts(test: RepositoryTest, style: Style): readonly Fact[] {
  if (!test.ok)
    return [
      ["result", style.red(resultTexts[test.code] ?? "the server cannot read the repository")],
      ["reason", test.code],
      ...test.message.split("\n").map((line, at) => [at === 0 ? "message" : "", printable(line)] as const),
      ["tried", printable(test.tried)],
      // The page has the key and how to add it, which helps only against a refusal.
      ["steps", test.code === "access_denied" ? test.steps_url : null],
    ];
  const { host_key: key } = test;
  const keyText = key === null ? null : `${key.host} ${key.fingerprint} (${key.type})`;
  return [
    ["result", style.green("the server can read the repository")],
    ["branch", printableName(test.branch)],
    ["commit", test.commit_sha],
    ["tried", printable(test.tried)],
    [key?.is_new === true ? "new host key" : "host key", keyText === null ? null : printableName(keyText)],
  ];
}
