import type { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { repositoryVerdict } from "#contract/repository-verdict.ts";
import type { Fact } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";

/** The result of a repository test, to be printed. Texts of the agent lose their colours, which could hide a part. */
export function repositoryFacts(test: RepositoryTest, style: Style): readonly Fact[] {
  const result = repositoryVerdict(test).replace(/^T|\.$/g, (end) => (end === "T" ? "t" : ""));
  if (!test.ok)
    return [
      ["result", style.red(result)],
      ["reason", test.code],
      ...test.message.split("\n").map((line, at) => [at === 0 ? "message" : "", printable(line)] as const),
      ["tried", printable(test.tried)],
      // The page has the key and how to add it, which helps only against a refusal.
      ["steps", test.code === "access_denied" ? test.steps_url : null],
    ];
  const { host_key: key } = test;
  const keyText = key === null ? null : `${key.host} ${key.fingerprint} (${key.type})`;
  return [
    ["result", style.green(result)],
    ["branch", printableName(test.branch)],
    ["commit", test.commit_sha],
    ["tried", printable(test.tried)],
    [key?.is_new === true ? "new host key" : "host key", keyText === null ? null : printableName(keyText)],
  ];
}
