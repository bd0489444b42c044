import type { NewPasskey } from "#contract/endpoints/sessions/passkeys.ts";
import type { ClientResult } from "#client/send.ts";
import { api } from "#dashboard/data/api.ts";
import { createPasskey } from "#dashboard/data/passkeys.ts";

/** Creates a passkey for the person who is signed in, and passes it to `use`. */
export async function withNewPasskey<Value>(
  use: (passkey: NewPasskey) => Promise<ClientResult<Value>>,
): Promise<ClientResult<Value>> {
  const challenge = await api.createChallenge({ body: { act: "add_passkey" } });
  if (!challenge.ok) return challenge;
  const created = await createPasskey(challenge.value);
  return created.ok ? await use(created.value) : created;
}
