import { readAll } from "#client/read-all.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { succeed } from "#contract/lib/result.ts";
import { InvitationId, MemberId } from "#contract/ids.ts";
import { missing, type Result, stop } from "#cli/outcome.ts";
import type { NamedId } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

/** Finds a person by their ID, e-mail address or name. Names need not be unique: a name of several is refused. */
export async function findMember({ client }: Session, word: string): Promise<Result<NamedId<MemberId>>> {
  const id = MemberId.safeParse(word);
  if (id.success) return succeed({ id: id.data, name: null });
  const all = await readAll(client.listMembers, (page) => page.members);
  if (!all.ok) return all;
  const wanted = word.normalize("NFC");
  const found = all.value.filter(
    ({ name, email }) => name.normalize("NFC") === wanted || email === wanted.toLowerCase(),
  );
  const [first, another] = found;
  if (another !== undefined)
    return stop(
      "ambiguous_name",
      `Several members are named ${word}. Pass the e-mail address or the ID; gantry members lists them.`,
    );
  if (first !== undefined) return succeed(first);
  const names = all.value.flatMap(({ name, email }) => (email === null ? [name] : [name, email]));
  return missing(`There is no member ${word} in this account.${didYouMean(word, names)}`);
}

/** Finds an open invitation by its ID or the e-mail address of the person. */
export async function findInvitation({ client }: Session, word: string): Promise<Result<InvitationId>> {
  const id = InvitationId.safeParse(word);
  if (id.success) return succeed(id.data);
  const all = await readAll(client.listInvitations, (page) => page.invitations);
  if (!all.ok) return all;
  const [first, another] = all.value.filter(({ email }) => email === word.toLowerCase());
  if (another !== undefined)
    return stop("ambiguous_name", `${word} has several invitations. Pass the ID; gantry members lists them.`);
  return first === undefined
    ? missing(`There is no open invitation for ${word}. gantry members lists them.`)
    : succeed(first.id);
}
