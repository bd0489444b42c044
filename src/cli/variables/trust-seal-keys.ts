import { Fingerprint } from "#contract/endpoints/variables/seal-key.ts";
import { serversOf, type Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { problems } from "#contract/problems.ts";
import { fromBase64Url } from "#sealing/bytes.ts";
import { fingerprintOf } from "#sealing/secret-box.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { configPath, readConfig, writeConfig } from "#cli/settings/config-file.ts";

/** The option of the commands that seal secrets. */
export const acceptKeyOption = {
  "accept-key": {
    kind: "list",
    value: "FINGERPRINT",
    help: "Fingerprint of a server's seal key, as gantry-agent status prints it; replaces the stored one",
  },
} as const;

export type SealingFor = {
  /** The project that the command was called for, whatever the response says. */
  readonly projectId: ProjectId;
  readonly current: Variables;
  /** The values of --accept-key. */
  readonly acceptKeys: readonly string[];
};

type ServerKey = { readonly id: string; readonly publicKey: string; readonly fingerprint: string };

/**
 * Returns the keys to seal for, one for each server of the project, if this machine has stored them. The first key of a
 * server, or of a project, is stored before it is used. A control plane that gave out a key of its own could read what is
 * sealed for it, so another key is refused until the user accepts it by its fingerprint: also if it comes with the id of
 * a server that is new in the project, unless that server's key was stored before.
 */
export async function trustSealKeys(
  { environment, output, url }: Session,
  { projectId: project, current, acceptKeys }: SealingFor,
): Promise<Result<readonly string[]>> {
  if (acceptKeys.some((accepted) => !Fingerprint.safeParse(accepted).success))
    return stop("usage", "--accept-key must be a fingerprint: 22 letters, digits, - and _.");
  const read = await readKeys(current);
  if (!read.ok) return read;
  const servers = read.value;
  const unknown = acceptKeys.find((accepted) => servers.every(({ fingerprint }) => fingerprint !== accepted));
  if (unknown !== undefined) {
    const named = servers.map(({ id, fingerprint }) => `server ${id} has ${fingerprint}`).join(", ");
    return stop("untrusted_seal_key", `The control plane names another key: ${named}, not ${unknown}.`);
  }

  const path = configPath(environment);
  const config = await readConfig(path);
  if (!config.ok) return config;
  const { seal_keys: all } = config.value;
  const stored = new Map(Object.entries(Object.hasOwn(all, url) ? (all[url] ?? {}) : {}));
  const ofProject = stored.get(project);
  const keys = succeed(servers.map(({ publicKey }) => publicKey));
  const added = servers.filter(({ id, fingerprint }) => stored.get(id) !== fingerprint);
  const notAccepted = added.filter(({ fingerprint }) => !acceptKeys.includes(fingerprint));
  const changes = notAccepted.flatMap((server) => {
    const ofServer = stored.get(server.id);
    const before = ofServer ?? ofProject ?? server.fingerprint;
    return before === server.fingerprint ? [] : [{ ...server, before, isKnown: ofServer !== undefined }];
  });
  if (changes.length > 0) return refuseChanges(project, changes, servers.length === 1);

  const first = servers[0]?.fingerprint ?? "";
  if (added.length === 0 && ofProject === first) return keys;
  for (const { id, fingerprint } of added) stored.set(id, fingerprint);
  const next = { ...all, [url]: Object.fromEntries(stored.set(project, first)) };
  const written = await writeConfig(path, { ...config.value, seal_keys: next });
  if (written.ok) {
    for (const server of added) {
      const advice = notAccepted.includes(server)
        ? " Compare it with the output of gantry-agent status on the server."
        : "";
      output.note(
        `Stored the fingerprint of the seal key of server ${server.id}: ${server.fingerprint}.${advice}`,
      );
    }
    return keys;
  }
  // A key that is not stored would be accepted as the first one each time.
  return notAccepted.length > 0
    ? stop("unwritable_file", `${written.problem.detail} Or run ${adviceFor(notAccepted)}`)
    : keys;
}

/** The keys of a project's servers, with fingerprints that are computed here: in the response they could be of other keys. */
async function readKeys(current: Variables): Promise<Result<readonly ServerKey[]>> {
  const keys: ServerKey[] = [];
  for (const { server_id: id, seal_key: key } of serversOf(current)) {
    if (key === null) return noSealKey(id);
    const { public_key: publicKey } = key;
    const fingerprint = await fingerprintOf(fromBase64Url(publicKey) ?? new Uint8Array(0));
    keys.push({ id, publicKey, fingerprint });
  }
  return succeed(keys);
}

/** `before`: the fingerprint that was stored, for the server if it is known, else for the project. */
type ChangedKey = ServerKey & { readonly before: string; readonly isKnown: boolean };

function refuseChanges(
  project: ProjectId,
  changes: readonly ChangedKey[],
  isOnly: boolean,
): Result<readonly string[]> {
  const texts = changes.map(({ id, fingerprint, before, isKnown }) => {
    const is = `was ${before} and is now ${fingerprint}`;
    if (isKnown) return [`The seal key of server ${id} ${is}.`, `server ${id} has a new key`] as const;
    return isOnly
      ? ([`The seal key of project ${project} ${is}.`, "the project was moved to another server"] as const)
      : ([
          `Server ${id} is new in project ${project}, with the seal key ${fingerprint}.`,
          `server ${id} was added`,
        ] as const);
  });
  const facts = texts.map(([fact]) => fact).join(" ");
  const reasons = texts.map(([, reason]) => reason).join(", ");
  return stop(
    "untrusted_seal_key",
    `${facts} Either ${reasons}, or somebody wants to read your secrets. Run ${adviceFor(changes)}`,
  );
}

/** What to run on the servers, and to pass if the keys are theirs. */
function adviceFor(servers: readonly ServerKey[]): string {
  const options = servers.map(({ fingerprint }) => `--accept-key=${fingerprint}`).join(" ");
  const [only, ...others] = servers;
  return only !== undefined && others.length === 0
    ? `gantry-agent status on server ${only.id}. If it prints ${only.fingerprint}, pass ${options}`
    : `gantry-agent status on each of these servers. If they print these fingerprints, pass ${options}`;
}

/** The refusal of the control plane for secrets in clear, which the command never sends. */
function noSealKey(server: string): Result<never> {
  const { status, title } = problems.no_seal_key;
  const detail = `Nothing can be sealed for server ${server}: its agent has not connected yet, or is too old. Enrol or update it, and try again.`;
  return {
    ok: false,
    problem: { type: "about:blank", title, status, detail, code: "no_seal_key", request_id: "" },
  };
}
