import { describe, expect, it } from "vitest";

import { UpdateVariablesInput, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { newEdit, type VariablesDraft } from "#dashboard/pages/variables/draft.ts";
import { sealDraft } from "#dashboard/pages/variables/seal-draft.ts";
import { openSecret } from "#sealing/secret-box.ts";
import { newServerKeys, type ServerKeys } from "../../support/seal-keys.ts";

const ids = createIdGenerator({
  now: () => 1_795_000_000_000,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
const server_id = ids.server();

function variablesOf(keys: readonly (ServerKeys["sealKey"] | null)[]): Variables {
  const [first = null, ...others] = keys;
  return {
    ...{ account_id: ids.account(), project_id: ids.project(), server_id, revision: 4, variables: [] },
    ...{ seal_key: first, not_sealed: [] },
    servers: [
      { server_id, seal_key: first },
      ...others.map((seal_key) => ({ server_id: ids.server(), seal_key })),
    ],
  };
}

const draft: VariablesDraft = {
  revision: 4,
  edits: [newEdit({ name: "PASSWORD", value: "correct-horse" }, true)],
  removed: [],
};

/** The secret as each of the servers opens it. */
async function openedBy(servers: readonly ServerKeys[], current: Variables) {
  const body = UpdateVariablesInput.parse(await sealDraft(draft, current));
  const [secret] = body.set;
  const { account_id, project_id } = current;
  const place = { account_id, project_id, name: "PASSWORD", revision: 5 };
  return await Promise.all(
    servers.map(async ({ keys, sealKey }) => {
      const box = secret?.sealed?.find(({ fingerprint }) => fingerprint === sealKey.fingerprint);
      return box && (await openSecret(keys, place, { box: box.box, ciphertext: secret?.ciphertext }));
    }),
  );
}

describe("the secrets of a draft", () => {
  it("are sealed for each server of the project", async () => {
    const servers = await Promise.all([newServerKeys(), newServerKeys(), newServerKeys()]);
    const current = variablesOf(servers.map(({ sealKey }) => sealKey));
    expect(await openedBy(servers, current)).toEqual(servers.map(() => "correct-horse"));
  });

  it("are sealed for the only server, also if the control plane is older and lists no servers", async () => {
    const server = await newServerKeys();
    const current = variablesOf([server.sealKey]);
    for (const variables of [current, { ...current, servers: [] }]) {
      expect(await openedBy([server], variables)).toEqual(["correct-horse"]);
      expect(JSON.stringify(await sealDraft(draft, variables))).not.toContain("ciphertext");
    }
  });

  it("are not sealed while a server has no key, or if a key is not the key of its fingerprint", async () => {
    const [one, other] = [await newServerKeys(), await newServerKeys()];
    expect(await sealDraft(draft, variablesOf([one.sealKey, null]))).toBeNull();
    const lie = { ...other.sealKey, public_key: (await newServerKeys()).sealKey.public_key };
    expect(await sealDraft(draft, variablesOf([one.sealKey, lie]))).toBeNull();
    const plain = { ...draft, edits: [newEdit({ name: "URL", value: "1" }, false)] };
    expect(await sealDraft(plain, variablesOf([null]))).toMatchObject({ set: [{ name: "URL", value: "1" }] });
  });
});
