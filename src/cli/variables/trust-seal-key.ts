import { Fingerprint } from "#contract/endpoints/variables/seal-key.ts";
import type { Variables } from "#contract/endpoints/variables/schemas.ts";
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
    kind: "text",
    value: "FINGERPRINT",
    help: "Fingerprint of the server's seal key, as gantry-agent status prints it; replaces the stored one",
  },
} as const;

export type SealingFor = {
  /** The project that the command was called for, whatever the response says. */
  readonly projectId: ProjectId;
  readonly current: Variables;
  /** The value of --accept-key. */
  readonly acceptKey: string | null;
};

/**
 * Returns the key to seal for, if this machine has stored that key for the server. The first key of a server, or of a
 * project, is stored before it is used. A control plane that gave out a key of its own could read what is sealed for
 * it, so another key is refused until the user accepts it by its fingerprint: also if it comes with another server's
 * id, unless that server's key was stored before.
 */
export async function trustSealKey(
  { environment, output, url }: Session,
  { projectId: project, current: { server_id: server, seal_key: sealKey }, acceptKey: accepted }: SealingFor,
): Promise<Result<string>> {
  if (accepted !== null && !Fingerprint.safeParse(accepted).success)
    return stop("usage", "--accept-key must be a fingerprint: 22 letters, digits, - and _.");
  if (sealKey === null) return noSealKey(server);
  // Computed here, because the fingerprint of the response could belong to another key.
  const fingerprint = await fingerprintOf(fromBase64Url(sealKey.public_key) ?? new Uint8Array(0));
  if (accepted !== null && accepted !== fingerprint)
    return stop(
      "untrusted_seal_key",
      `The control plane names another key for server ${server}: its fingerprint is ${fingerprint}, not ${accepted}.`,
    );

  const path = configPath(environment);
  const config = await readConfig(path);
  if (!config.ok) return config;
  const { seal_keys: all } = config.value;
  const stored = new Map(Object.entries(Object.hasOwn(all, url) ? (all[url] ?? {}) : {}));
  const [ofServer, ofProject] = [stored.get(server), stored.get(project)];
  if (ofServer === fingerprint && ofProject === fingerprint) return succeed(sealKey.public_key);
  const before = ofServer ?? ofProject ?? fingerprint;
  if (before !== fingerprint && accepted === null) {
    const [what, why] =
      ofServer === undefined
        ? [`project ${project}`, "the project was moved to another server"]
        : [`server ${server}`, "the server has a new key"];
    return stop(
      "untrusted_seal_key",
      `The seal key of ${what} was ${before} and is now ${fingerprint}. Either ${why}, or somebody wants to read your secrets. Run gantry-agent status on the server. If it prints ${fingerprint}, pass --accept-key=${fingerprint}`,
    );
  }

  const keys = {
    ...all,
    [url]: Object.fromEntries(stored.set(server, fingerprint).set(project, fingerprint)),
  };
  const written = await writeConfig(path, { ...config.value, seal_keys: keys });
  if (ofServer === fingerprint) return succeed(sealKey.public_key);
  if (written.ok) {
    const advice =
      accepted === null ? " Compare it with the output of gantry-agent status on the server." : "";
    output.note(`Stored the fingerprint of the seal key of server ${server}: ${fingerprint}.${advice}`);
    return succeed(sealKey.public_key);
  }
  // A key that is not stored would be accepted as the first one each time.
  if (accepted === null)
    return stop(
      "unwritable_file",
      `${written.problem.detail} Or run gantry-agent status on the server and, if it prints ${fingerprint}, pass --accept-key=${fingerprint}`,
    );
  return succeed(sealKey.public_key);
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
