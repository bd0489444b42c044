import { Fingerprint, type Variables } from "#contract/endpoints/variables/schemas.ts";
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

/**
 * Returns the key to seal for, if it is the one that this machine has stored for the server. The first key of a server is
 * stored before it is used. A control plane that gave out a key of its own could read what is sealed for it, so another
 * key is refused until the user accepts it by its fingerprint.
 * @param accepted the value of --accept-key
 */
export async function trustSealKey(
  { environment, output, url }: Session,
  { server_id: server, seal_key: sealKey }: Variables,
  accepted: string | null,
): Promise<Result<string>> {
  if (accepted !== null && !Fingerprint.safeParse(accepted).success)
    return stop("usage", "--accept-key must be a fingerprint: 22 letters, digits, - and _.");
  if (sealKey === null) return noSealKey(server);
  // Computed here, because the fingerprint of the response could be that of another key.
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
  const ofInstallation = Object.hasOwn(all, url) ? (all[url] ?? {}) : {};
  const stored = Object.hasOwn(ofInstallation, server) ? (ofInstallation[server] ?? null) : null;
  if (stored === fingerprint) return succeed(sealKey.public_key);
  if (stored !== null && accepted === null)
    return stop(
      "untrusted_seal_key",
      `The seal key of server ${server} was ${stored} and is now ${fingerprint}. Either the server has a new key, or somebody wants to read your secrets. Run gantry-agent status on the server. If it prints ${fingerprint}, pass --accept-key=${fingerprint}`,
    );

  const keys = { ...all, [url]: { ...ofInstallation, [server]: fingerprint } };
  const written = await writeConfig(path, { ...config.value, seal_keys: keys });
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
