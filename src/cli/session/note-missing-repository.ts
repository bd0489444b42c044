import { localPath } from "#contract/addresses/repository-address.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { sentence } from "#contract/lib/sentence.ts";
import { repositoryVerdict } from "#contract/repository-verdict.ts";
import { shellWord } from "#node/shell-quote.ts";
import { printable } from "#cli/output/printable.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { commandLine, type Session } from "#cli/session/session.ts";

/**
 * Warns if a repository is a path that its server cannot read, because that is usually a typing error. Other repositories
 * may need a key first, which the project's page explains. Without a connected server nothing is known.
 */
export async function noteMissingRepository(
  session: Session,
  { id, name, repository }: Project,
): Promise<void> {
  if (localPath(repository) === null || !(await mayCall(session, "testRepository"))) return;
  const tested = await session.client.testRepository({ params: { project_id: id }, body: {} });
  if (!tested.ok || tested.value.ok) return;
  const { code, message } = tested.value;
  const reason = message.split("\n").map(sentence).join(" ");
  const set = commandLine(session, `projects set ${shellWord(name)} --repository PATH`);
  const text =
    code === "branch_not_found"
      ? reason
      : `${repositoryVerdict(tested.value)} ${reason} To change its address: ${set}`;
  session.output.note(printable(text));
}
