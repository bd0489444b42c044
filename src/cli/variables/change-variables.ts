import { serversOf, type SetVariable, type Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { sealForServers } from "#sealing/secret-box.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { type SealingFor, trustSealKeys } from "#cli/variables/trust-seal-keys.ts";

/** A variable to set, with its value in clear. `build` null: as before. */
export type VariableToSet = {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly build: boolean | null;
};

type Change = {
  /** The variables as they were read before. */
  readonly before: Variables;
  /** The variables to set, given the current ones. Runs again after another change. */
  readonly decide: (current: Variables) => Result<readonly VariableToSet[]>;
  /** The values of --accept-key. */
  readonly acceptKeys: readonly string[];
};

const MAX_TRIES = 10;
const PAUSE_MS = 200;

/**
 * Sets variables as one revision, and seals the secrets on this machine. A box opens only at its own revision, so the
 * request names the current one: if another change was faster, this reads the variables, decides and seals again. After a
 * request that took effect but whose response was lost, it sets the same values once more.
 */
export async function changeVariables(
  session: Session,
  projectId: ProjectId,
  { before, decide, acceptKeys }: Change,
): Promise<Result<Variables>> {
  const { client, signal } = session;
  let current = before;
  for (let tries = 1; ; tries += 1) {
    const decided = decide(current);
    if (!decided.ok) return decided;
    const set = await sealAll(session, { projectId, current, acceptKeys }, decided.value);
    if (!set.ok) return set;
    const body = { revision: current.revision, set: set.value };
    const updated = await client.updateVariables({ params: { project_id: projectId }, body });
    if (updated.ok || updated.problem.code !== "revision_conflict" || tries === MAX_TRIES) return updated;
    await pause(Math.random() * PAUSE_MS * tries, signal);
    const read = await client.getVariables({ params: { project_id: projectId } });
    if (!read.ok) return read;
    current = read.value;
  }
}

async function sealAll(
  session: Session,
  sealingFor: SealingFor,
  variables: readonly VariableToSet[],
): Promise<Result<SetVariable[]>> {
  const set: SetVariable[] = [];
  const secrets = variables.filter(({ isSecret }) => isSecret);
  for (const { name, value, isSecret } of variables) if (!isSecret) set.push({ name, value, secret: false });
  if (secrets.length === 0) return succeed(set);

  const keys = await trustSealKeys(session, sealingFor);
  if (!keys.ok) return keys;
  const { projectId, current } = sealingFor;
  const { account_id } = current;
  for (const { name, value, build } of secrets) {
    const place = { account_id, project_id: projectId, name, revision: current.revision + 1 };
    const sealed = await sealForServers(keys.value, place, value);
    if (sealed === null) {
      const servers = serversOf(current).map(({ server_id: id }) => id);
      return stop(
        "untrusted_seal_key",
        `The seal key of ${servers.length === 1 ? "server" : "one of the servers"} ${servers.join(", ")} is not valid. Restart its agent, and try again.`,
      );
    }
    set.push({ name, ...sealed, secret: true, ...(build === null ? {} : { build }) });
  }
  return succeed(set);
}
